/** `npm run token` from outside: a token, the line to store, and what to do with it. */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

const run = (...words: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const program = ['worker/local/launch.mjs', 'tools/commands/token.ts', ...words]
    const child = execFile('node', program, { cwd: ROOT }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })

describe('a token', () => {
  it('is printed once, with its line for the setting and the command that stores the line', async () => {
    const { code, out } = await run('--name', 'ci', '--scope', 'read')
    expect(code).toBe(0)
    const [token] = out.split('\n')
    expect(token).toMatch(/^rqs_[\w-]{43}$/)
    const line = `ci read ${createHash('sha256').update(token!).digest('hex')}`
    expect(out.split('\n')).toContain(line)
    expect(out).toContain(`echo '${line}' >> tokens.txt`)
    expect(out).toContain('npm start -- --tokens tokens.txt')
    expect(out).toContain('npx wrangler secret put TOKENS < tokens.txt')
  })

  it.each([
    [
      'submit',
      /^For Puppet: reporturl = https:\/\/any:rqs_[\w-]{43}@reports\.example\.com\/reports$/m,
    ],
    [
      'read',
      /^To try it: curl -H 'authorization: Bearer rqs_[\w-]{43}' http:\/\/127\.0\.0\.1:8787\/pdb\/query\/v4\/nodes$/m,
    ],
  ])('that may %s comes with a line that it is good for', async (scope, line) => {
    const { out } = await run('--name', 'ci', '--scope', scope)
    expect(out).toMatch(line)
  })

  it('may have restrictions and an expiry time', async () => {
    const restrictions = ['--certname', 'web-*,db1', '--environment', 'production']
    const { out } = await run(
      ...['--name', 'team', '--scope', 'read,submit', '--scope', 'read'],
      ...[...restrictions, '--expires', '2099-12-31'],
    )
    expect(out).toMatch(
      /^team read,submit [0-9a-f]{64} certname=web-\*,db1 environment=production expires=2099-12-31T00:00:00Z$/m,
    )
  })
})

describe('a wrong command line fails with a message', () => {
  it.each([
    [[], 'A token needs a --name.\n\nnpm run token --'],
    [['--name', 'ci'], 'A token needs a --scope.\n\nnpm run token --'],
    [
      ['--name', 'ci', '--scope', 'reads'],
      "'reads' isn't a scope. Scopes are submit, read, operate, admin. Did you mean 'read'?",
    ],
    [['--name', 'c i', '--scope', 'read'], '--name takes letters, digits and . _ @ - only.'],
    [['--nam', 'ci'], "Unknown option '--nam'. Did you mean '--name'?"],
    [['--name', 'ci', '--scope', 'read', '--certname', 'a,'], '--certname takes names'],
    [['--name', 'ci', '--scope', 'read', '--expires', '2020-01-01'], '--expires takes a span'],
    [
      ['--name', 'ci', '--scope', 'read', '--environment', 'prod*'],
      'environment takes names, not patterns',
    ],
  ])('%j', async (words, sentence) => {
    const { code, out, err } = await run(...words)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(sentence)
  })
})
