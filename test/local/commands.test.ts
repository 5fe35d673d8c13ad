/** Messages name commands as their reader can type them: in a checkout, as the package, and under the unit for systemd. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const started = process.argv[1]!

let packaged = ''
beforeAll(async () => {
  packaged = await mkdtemp(join(tmpdir(), 'commands-'))
  await mkdir(join(packaged, 'dist'))
  await writeFile(join(packaged, 'dist/packaged'), '')
})
afterAll(() => rm(packaged, { recursive: true, force: true }))
afterEach(() => {
  process.argv[1] = started
  // Files that run next in this process would have the module that was loaded as in the package.
  vi.resetModules()
})

const LAUNCHER = 'worker/local/launch.mjs'
it.each([
  ['npm run COMMAND', () => join(ROOT, LAUNCHER), 'npm run restore -- FILE'],
  ['the package', () => '/usr/bin/report-query-service', 'report-query-service restore FILE'],
  ['the unit in the package', () => join(packaged, LAUNCHER), 'report-query-service restore FILE'],
])('%s', async (_, program, command) => {
  process.argv[1] = program()
  vi.resetModules()
  const { typed } = await import('../../worker/local/commands.mjs')
  expect(typed('restore', 'FILE')).toBe(command)
})

it('paths with characters that a shell reads are quoted', async () => {
  const { shellWord } = await import('../../worker/local/commands.mjs')
  expect(['/var/lib/reports-1.sqlite', '/srv/My reports', "/srv/Ann's"].map(shellWord)).toEqual([
    '/var/lib/reports-1.sqlite',
    "'/srv/My reports'",
    String.raw`'/srv/Ann'\''s'`,
  ])
})
