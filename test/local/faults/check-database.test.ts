/** `npm run check-database` on a running service: what a disk or a person has damaged, in words, and what --repair mends. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY } from '../../../worker/lib/time.ts'
import { checkStep } from '../../../worker/local/weekly-check.ts'
import { ROOT, startLocalService } from '../local-service.ts'
import { INDEX_DAMAGES } from './damages.ts'
import { makeDatabase, putDatabase, type MadeDatabase } from './database.ts'

let folder = ''
let made: MadeDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'))
  made = await makeDatabase(folder, 80)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const check = (
  url: string,
  ...words: readonly string[]
): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const program = [
      'worker/local/launch.mjs',
      'tools/commands/check-database.ts',
      '--url',
      url,
      ...words,
    ]
    const child = execFile(process.execPath, program, { cwd: ROOT }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })

it('names what the indexes lack and what was changed, and repairs what follows from other rows', async () => {
  const data = join(folder, 'all')
  const file = await putDatabase(made, data)
  for (const [, damage] of INDEX_DAMAGES) await damage(file, made)
  const service = await startLocalService({}, { data, probed: true })
  await service.probe([
    { sql: 'update nodes set latest = null where id = 2', params: [] },
    { sql: 'delete from unarchived_days', params: [] },
  ])
  const found = await check(service.url)
  for (const [what] of INDEX_DAMAGES) {
    const [, name] = /index (\w+) lacks/.exec(what)!
    expect(found.output).toContain(`Problem: ${name} lacks row `)
  }
  expect(found.output).toMatch(
    /Problem: node \S+ \(2\): latest is of null, .*\n {2}Broken rule: .*\.\n {2}Computed from other rows, so --repair mends it\.\n/,
  )
  expect(found.code).toBe(1)
  const repaired = await check(service.url, '--repair')
  expect(repaired.output).toMatch(
    / [1-9]\d* repaired; the service recounts within ten minutes\. All is well\.\n$/,
  )
  expect(repaired.code).toBe(0)
  const { output } = await check(service.url)
  expect(output).toMatch(/All is well\.\n$/)
  // 80 reports of as many nodes are a page or more.
  expect(output).toMatch(/checked: .*\breports 80\b/)
  await service.stop()
})

it('once a week the service checks itself, goes on where it stopped, and says what it finds', async () => {
  const data = join(folder, 'weekly')
  await putDatabase(made, data)
  const service = await startLocalService({}, { data, probed: true })
  const said: string[] = []
  const asked: string[] = []
  const check = {
    data,
    pageAfter: (after: string) => {
      asked.push(after)
      return service.pageOfCheck(after)
    },
    onProblem: (sentence: string) => said.push(`problem: ${sentence}`),
    onWell: (sentence: string) => said.push(sentence),
  }
  const now = Date.now()
  // A step ends by a clock.
  while (said.length === 0) await checkStep(check, now)
  expect(said).toEqual(['The weekly check has read the whole database, and all is well.'])
  const pages = asked.length
  expect(pages).toBeGreaterThan(8)
  for (const days of [6, -6]) await checkStep(check, now + days * DAY)
  expect(asked).toHaveLength(pages)
  // The check was made by a clock that was ahead.
  while (said.length === 1) await checkStep(check, now - 7 * DAY)
  expect([said.length, asked.length]).toEqual([2, 2 * pages])
  said.pop()
  asked.splice(pages)
  // Nodes are numbered as they come, and they came at the same time.
  const certname = 'node1.example.com'
  await service.probe([
    { sql: 'update nodes set latest = null where certname = ?', params: [certname] },
  ])
  const cut = { ...check, pageAfter: () => Promise.reject(new Error('restarting')) }
  await expect(checkStep(cut, now + 7 * DAY)).rejects.toThrow('restarting')
  while (said.length === 1) await checkStep(check, now + 7 * DAY)
  expect(said[1]).toMatch(
    /^problem: The database is not sound: node node1\.example\.com \(\d+\): latest is of null/,
  )
  await service.stop()
})
