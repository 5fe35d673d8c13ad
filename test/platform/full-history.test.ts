/** A full database whose reports the history must hold before they are deleted. */

import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { MOST_REPORTS } from '../../worker/housekeeping/batches.ts'
import { emptyBucket, rowsByFile } from '../worker/history-files.ts'
import { fullBucket } from '../worker/history-faults.ts'
import { NOON } from '../worker/reports.ts'
import { wrongIn } from '../soundness.ts'
import { copyReports, DAY, HOUR, reportAt } from './fleet.ts'
import { Platform } from './platform.ts'

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => undefined)
})
beforeEach(emptyBucket)

const bucket: HistoryBucket = env.TEST_BUCKET

const SETTINGS = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' }
/** Long after the reports were received, too, which is now. */
const LATER = Date.now() + 5 * DAY

const hashes = async (platform: Platform): Promise<readonly unknown[]> => {
  const rows = await platform.sql<{ hash: string }>(
    'select lower(hex(hash)) as hash from reports order by id',
  )
  return rows.map(({ hash }) => hash)
}
const archived = async (): Promise<readonly unknown[]> =>
  [...(await rowsByFile('reports')).values()].flat().map(({ hash }) => hash)

/** Days of reports with no room for more. */
async function filled(): Promise<Platform> {
  const platform = await Platform.deploy(SETTINGS)
  const message = Array.from({ length: 1000 }, (_, n) => `${n ** 3}`).join(' ')
  const log = {
    level: 'notice',
    source: 'x',
    tags: [],
    message,
    time: null,
    file: null,
    line: null,
  }
  await platform.submit(reportAt('web1', NOON - 10 * HOUR, { logs: [log] }))
  await platform.submit(reportAt('web1', NOON))
  await copyReports(platform, 'web1', { count: 400, step: 600_000, causes: 0 })
  await platform.tick(NOON)
  const bytes = await platform.bytes()
  platform.conditions.mostBytes = bytes
  platform.settings['MAX_DATABASE_BYTES'] = String(bytes)
  return platform
}

it('refuses reports and keeps all that it has while the bucket takes nothing', async () => {
  const platform = await filled()
  const before = await hashes(platform)
  platform.history = fullBucket()
  await platform.tick(LATER).catch((error: Error) => error)
  expect(await hashes(platform)).toEqual(before)
  expect((await platform.submit(reportAt('web1', NOON + HOUR))).status).toBe(503)
  expect(await wrongIn(platform.binding)).toEqual({})
})

it('frees nothing that no file holds, also where nothing marks it as not archived', async () => {
  const platform = await filled()
  const before = await hashes(platform)
  platform.history = fullBucket()
  await platform.sql('delete from unarchived_days')
  await platform.tick(LATER).catch((error: Error) => error)
  expect(await hashes(platform)).toEqual(before)
})

it('archives, frees what the history holds, and takes reports again', async () => {
  const platform = await filled()
  const before = await hashes(platform)
  platform.history = bucket
  for (let hour = 0; hour < 3; hour++) await platform.tick(LATER + hour * HOUR)
  const left = await hashes(platform)
  const inHistory = await archived()
  expect(left.length).toBeLessThan(before.length)
  expect(new Set([...left, ...inHistory])).toEqual(new Set(before))
  expect(new Set(inHistory).size, 'no report is there twice').toBe(inHistory.length)
  expect((await platform.submit(reportAt('web1', NOON + HOUR))).status).toBe(200)
  expect(await wrongIn(platform.binding)).toEqual({})
})

it('looks past the reports of an hour that no file holds, however many', async () => {
  const platform = await filled()
  const held = (await hashes(platform)).slice(0, 3)
  platform.history = bucket
  platform.conditions.mostBytes = Infinity
  platform.settings['MAX_DATABASE_BYTES'] = '0'
  for (let hour = 0; hour < 3; hour++) await platform.tick(LATER + hour * HOUR)
  expect(await archived()).toEqual(expect.arrayContaining(held))
  // They come late, right after the first report of the oldest hour, which is the first in the history.
  const columns = await platform.sql<{ name: string }>(
    "select name from pragma_table_info('reports')",
  )
  const values = columns.map(({ name }) =>
    name === 'id' ? 'r.id + i * 1024' : name === 'hash' ? 'randomblob(20)' : `r.${name}`,
  )
  await platform.sql(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MOST_REPORTS + 1})
      insert into reports select ${values.join()} from n, (select * from reports order by id limit 1) r`,
  )
  const late = (await hashes(platform)).slice(1, MOST_REPORTS + 2)
  platform.settings['MAX_DATABASE_BYTES'] = String(await platform.bytes())
  await platform.tick(LATER + 3 * HOUR)
  const left = new Set(await hashes(platform))
  expect(held.filter((hash) => left.has(hash))).toEqual([])
  expect(late.filter((hash) => !left.has(hash))).toEqual([])
})
