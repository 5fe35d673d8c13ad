/** `npm run deploy` stops before it changes anything where wrangler.toml names no database, and says what to do. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const HEAD = 'name = "x"\ncompatibility_date = "2026-04-01"\n'
const database = (id: string): string =>
  `\n[[d1_databases]]\nbinding = "DB"\ndatabase_id = "${id}" # yours\n`
const GOOD = '9f0c2b1a-0c0d-4e5f-8a9b-0123456789ab'
const PLACEHOLDER = '00000000-0000-0000-0000-000000000000'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (command: string, words: readonly string[], cwd = ROOT) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(command, words, { cwd }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })

async function check(text: string): Promise<{ code: number; output: string }> {
  const path = join(folder, 'wrangler.toml')
  await writeFile(path, text)
  return run('node', ['worker/local/launch.mjs', 'worker/local/check-deploy.ts', path])
}

describe('before a deployment', () => {
  it('the check requires only the id of an own database', async () => {
    expect(await check(HEAD + database(GOOD))).toEqual({ code: 0, output: '' })
  })

  it.each([
    ['the placeholder', database(PLACEHOLDER), 'database_id in wrangler.toml is still the placeh'],
    ['the placeholder in one of two', database(GOOD) + database(PLACEHOLDER), 'still the placehol'],
    ['none', '', 'wrangler.toml names no database. Create one'],
    ['a name', database('reports'), 'The database_id "reports" in wrangler.toml is no id of a da'],
  ])('%s as its id is refused', async (_, text, sentence) => {
    const { code, output } = await check(HEAD + text)
    expect(output).toContain(sentence)
    expect(output).toContain('npx wrangler d1 ')
    expect(code).toBe(1)
  })

  // In a folder without wrangler: a project whose wrangler.toml names a database must not be deployed by its tests.
  it('no other step of the deployment has run', async () => {
    const manifest = await readFile(join(ROOT, 'package.json'), 'utf8')
    const { scripts } = JSON.parse(manifest) as { scripts: { deploy: string } }
    const project = join(folder, 'project')
    await mkdir(project)
    await symlink(join(ROOT, 'worker'), join(project, 'worker'))
    await writeFile(join(project, 'package.json'), JSON.stringify({ scripts }))
    await writeFile(join(project, 'wrangler.toml'), HEAD + database(PLACEHOLDER))
    const { code, output } = await run('npm', ['run', 'deploy', '--silent'], project)
    expect(code).toBe(1)
    expect(output.trim()).toMatch(/^There is no database yet: .* Then run npm run deploy again\.$/s)
  })
})
