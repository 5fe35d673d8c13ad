/** Commands that connect to a service whose certificate this machine does not trust, such as one of Puppet's CA. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const fixture = (name: string): string => join(ROOT, 'test/fixtures/tls', name)

let folder = ''
let server: Server
let url = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'untrusted-'))
  await mkdir(join(folder, 'reports/web-1'), { recursive: true })
  await writeFile(
    join(folder, 'reports/web-1/202603021200.yaml'),
    '--- !ruby/object:Puppet::Transaction::Report\n',
  )
  const pem = (name: string): Buffer => readFileSync(fixture(name))
  server = createServer({ cert: pem('server.pem'), key: pem('server.key') }, (_, answer) => {
    answer.end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (
  program: string,
  ...words: readonly string[]
): Promise<{ code: number; err: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      'node',
      [join(ROOT, 'worker/local/launch.mjs'), join(ROOT, program), ...words],
      { cwd: folder },
      (_, __, err) => resolve({ code: child.exitCode ?? -1, err }),
    )
  })

it.each([
  ['tools/import/import.ts', () => [join(folder, 'reports'), '--to', url]],
  ['tools/compare/compare.ts', () => ['--puppetdb', url, '--here', url]],
  ['tools/commands/check-database.ts', () => ['--url', url]],
] as const)('%s ends at once, and says how to trust the authority', async (program, words) => {
  const { code, err } = await run(program, ...words())
  expect(code).toBe(2)
  expect(err).toContain('set NODE_EXTRA_CA_CERTS=/etc/puppetlabs/puppet/ssl/certs/ca.pem')
})
