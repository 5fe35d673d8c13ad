/** Months of the history: what housekeeping compacts days into, and that each report is there once at every moment. */

import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import { monthPath, type HistoryBucket } from '../../worker/history/bucket.ts'
import { mergeReports } from '../../worker/history/merge-reports.ts'
import { checkArchivedMonths } from '../../worker/integrity/archived-months.ts'
import { Database } from '../../worker/store/database.ts'
import { DAY } from '../../worker/lib/time.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../../worker/schema/history-tables.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'
import { forgetNode } from '../../tools/history/forget.ts'
import type { HistoryStore } from '../../tools/history/store.ts'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import { problems } from './check-pages.ts'
import { countRows, store, type Answer } from './client.ts'
import { compactAt, countingBucket, filesOfPart, wholeRows } from './history-days.ts'
import { bucket, emptyBucket, rowsByFile } from './history-files.ts'
import { killedAt, methods } from './history-faults.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const MONTH = Date.UTC(2025, 0, 1) / DAY
/** Days of January with reports. */
const DAYS = [0, 1, 30]
const NODES = 2
const RUNS = 4
const now = Date.UTC(2025, 5, 1)

/** The files of parts, which are the same for each death. */
const partFiles = new Map<string, ReadonlyMap<string, Uint8Array>>()

/** Writes the part of a day, as the archive does. */
async function putDay(day: number, part: number, seed = day): Promise<void> {
  const key = `${day} ${part} ${seed}`
  if (!partFiles.has(key)) partFiles.set(key, await filesOfPart(fleetOf(day, seed), part))
  for (const [path, bytes] of partFiles.get(key)!) await bucket.put(path, bytes)
}

const fleetOf = (day: number, seed: number) => ({
  ...{ nodes: NODES, runs: RUNS, start: (MONTH + day) * DAY, intervalSeconds: 3600, seed },
  mix: { unchanged: 1, changed: 1, failed: 2, noop: 0 },
})

const compact = (
  bindings: { DB: D1Database; HISTORY: HistoryBucket },
  more: object = {},
  time = now,
) => compactAt(time, bindings, more)
const compactNow = (more: object = {}, time = now) =>
  compact({ DB: env.DB, HISTORY: methods }, more, time)

/** The rows of a table in files that count, as text and in one order. */
const wholeTexts = async (table: HistoryTable): Promise<string[]> =>
  (await wholeRows(table)).map(textOf).toSorted()
const textOf = (row: ReadRow): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
const allRows = async (): Promise<readonly string[][]> =>
  Promise.all(HISTORY_TABLE_NAMES.map(wholeTexts))
const paths = async (): Promise<string[]> =>
  (await bucket.list()).objects.map(({ key }) => key).toSorted()

const COMPACTED = ['events', 'logs', 'metrics', 'reports'].map(
  (table) => `${table}/month=2025-01/000.parquet`,
)

beforeEach(async () => {
  await emptyBucket()
  for (const table of ['history_parts', 'history_months', 'unarchived_days', 'open_hours'])
    await env.DB.exec(`delete from ${table}`)
})

it('holds what the days held, sorted by node', async () => {
  for (const day of DAYS) await putDay(day, 0)
  const before = await allRows()
  expect(before.map(({ length }) => length > 20)).toEqual([true, true, true, true])
  expect(await compactNow()).toEqual({ months: 1, files: 4, failure: null })
  expect(await paths()).toEqual(COMPACTED)
  expect(await allRows()).toEqual(before)
  const [reports] = [...(await rowsByFile('reports')).values()]
  const order = reports!.map((row) => `${row['certname']} ${String(row['producer_timestamp'])}`)
  expect(order).toEqual(order.toSorted())
  expect(await countRows('history_parts')).toBe(0)
  const { results } = await env.DB.prepare(
    "select name, rows, first, last, days from history_months where name in ('reports', 'logs') order by name desc",
  ).all()
  expect(results[0]).toMatchObject({
    rows: DAYS.length * NODES * RUNS,
    first: reports![0]!['certname'],
    last: reports!.at(-1)!['certname'],
  })
  const days = JSON.parse(String(results[0]!['days'])) as number[]
  expect(days.flatMap((count, day) => (count > 0 ? [[day, count]] : []))).toEqual(
    DAYS.map((day) => [day, NODES * RUNS]),
  )
})

it.each<[string, readonly number[], boolean]>([
  ['of a whole month', [], true],
  ['of a month of which nothing comes late', [], false],
  ['of a month that has files already', [2, 3, 4], true],
])(
  'holds each report once at every moment, wherever a run %s is killed',
  async (_, earlier, isLate) => {
    let kills = 0
    for (let at = 1; ; at++) {
      await emptyBucket()
      await env.DB.exec('delete from history_months')
      if (earlier.length > 0) {
        for (const day of earlier) await putDay(day, 0)
        expect(await compactNow({}, settledAfter(4))).toMatchObject({ months: 1 })
      }
      for (const day of DAYS) await putDay(day, 0)
      const before = await allRows()
      const bindings = killedAt(at)
      await compact(bindings)
      expect(await allRows(), `killed at ${at}`).toEqual(before)
      if (!bindings.died()) break
      kills++
      // Late reports come between the death and the next run.
      if (isLate) await putDay(1, 1, 77)
      const all = await allRows()
      expect(await compactNow()).toMatchObject({ failure: null })
      expect(await allRows(), `killed at ${at}`).toEqual(all)
      expect((await paths()).filter((path) => path.startsWith('compactions/'))).toEqual([])
    }
    expect(kills).toBeGreaterThan(10)
  },
)

/** When retention has been through with a day for a day. */
const settledAfter = (day: number): number => (MONTH + day + 1 + 14 + 1) * DAY

it('compacts a month that is not over whenever three of its days are settled, and what is left when it is over', async () => {
  const compacted: unknown[] = []
  for (let day = 0; day < 31; day += 5) {
    await putDay(day, 0)
    const before = await allRows()
    const { months, failure } = await compactNow({}, settledAfter(day))
    expect([failure, await allRows()]).toEqual([null, before])
    if (months > 0) compacted.push([day, await countRows('history_months')])
  }
  // One file of each table, since they are short.
  expect(compacted).toEqual([
    [10, 4],
    [25, 4],
    [30, 4],
  ])
  const files = (await paths()).filter((path) => path.startsWith('reports/'))
  expect(files).toEqual(['reports/month=2025-01/002.parquet'])
  const [{ days } = {}] = (
    await env.DB.prepare("select days from history_months where name = 'logs'").all<{
      days: string
    }>()
  ).results
  const logs = await wholeRows('logs')
  expect((JSON.parse(days!) as number[]).reduce((sum, rows) => sum + rows, 0)).toBe(logs.length)
  expect((await problems()).problems).toEqual([])
})

it('checks each month, however many there are', async () => {
  await env.DB.prepare(
    `insert into history_months select ${MONTH} - 31 * value, 'logs', 0, 1, 1, '', '', '[1]', 0 from json_each(?)`,
  )
    .bind(JSON.stringify(Array.from({ length: 25 }, (_, month) => month)))
    .run()
  const pages: number[] = []
  const database = Database.primary(env.DB)
  const history = { bucket: methods, tables: HISTORY_TABLE_NAMES, required: false }
  for (let after: number | null = -1; after !== null && pages.length < 25;) {
    const page = await checkArchivedMonths(database, after, { history })
    pages.push(page.problems.length)
    after = page.next
  }
  expect(pages.reduce((sum, count) => sum + count, 0)).toBe(25)
})

const END = (MONTH + 31) * DAY
it.each<[string, Record<string, string>, number, number]>([
  ['the least age', {}, END + 14 * DAY + DAY, 1],
  ['a moment before', {}, END + 14 * DAY + DAY - 1, 0],
  ['the longest age of retention', { LOGS_AND_METRICS_TTL: '30d' }, END + 30 * DAY + DAY, 1],
  ['a moment before that', { LOGS_AND_METRICS_TTL: '30d' }, END + 30 * DAY + DAY - 1, 0],
  ['no retention', { REPORT_TTL: '0' }, END + DAY, 1],
  ['a HISTORY_TTL of 90 days', { HISTORY_TTL: '90d' }, END + 14 * DAY + DAY, 1],
  ['a shorter HISTORY_TTL', { HISTORY_TTL: '89d' }, END + 14 * DAY + DAY, 0],
  ['days that HISTORY_TTL deletes soon', { HISTORY_TTL: '90d' }, END + 30 * DAY, 0],
])('%s decides whether a month is compacted', async (_, settings, time, months) => {
  await putDay(0, 0)
  expect(await compactNow(settings, time)).toMatchObject({ months, failure: null })
})

it('waits for the archive, and compacts late reports when there are many', async () => {
  await putDay(0, 0)
  await putDay(29, 0)
  await env.DB.exec(`insert into unarchived_days values (${MONTH + 30}, 1)`)
  expect(await compactNow()).toMatchObject({ months: 0 })
  await env.DB.exec('delete from unarchived_days')
  expect(await compactNow()).toMatchObject({ months: 1 })
  await putDay(1, 0)
  const all = await allRows()
  const known = (count: number) =>
    env.DB.exec(
      `insert or replace into history_parts select ${MONTH + 1}, value, 0, 0, '', '', 0 from json_each('${JSON.stringify([...Array(count).keys()])}')`,
    )
  await known(8)
  expect(await compactNow()).toMatchObject({ months: 0 })
  await known(9)
  expect(await compactNow()).toMatchObject({ months: 1, files: 4 })
  expect((await paths()).filter((path) => path.startsWith('reports/'))).toEqual([
    'reports/month=2025-01/001.parquet',
  ])
  expect(await allRows()).toEqual(all)
})

it('keeps the days where the files of the month lack a report, and begins again', async () => {
  for (const day of [0, 1]) await putDay(day, 0)
  const before = await allRows()
  const { size: bytes } = (await bucket.head('reports/date=2025-01-01/000.parquet'))!
  const first = { span: 'day', day: MONTH, part: 0, bytes, first: '', last: 'zz' } as const
  const half = (await mergeReports(
    methods,
    monthPath('reports', MONTH, 0),
    MONTH,
    [first],
    null,
    () => Promise.resolve(),
  ))!
  const lossy: HistoryBucket = {
    ...methods,
    put: (path, whole, options) =>
      methods.put(path, path.startsWith('reports/month=') ? half : whole, options),
  }
  const { failure } = await compact({ DB: env.DB, HISTORY: lossy })
  expect(failure).toBe(
    'the days of 2025-01 have 16 reports, and the files of the month 8. The days stay.',
  )
  expect(await allRows()).toEqual(before)
  expect(await compactNow()).toMatchObject({ months: 1, failure: null })
  expect(await allRows()).toEqual(before)
})

it('gives the runs of a node by two reads of a file, and a late report only once', async () => {
  for (const day of [0, 1]) await putDay(day, 0)
  await compactNow()
  const [reports] = [...(await rowsByFile('reports')).values()]
  const certname = String(reports![0]!['certname'])
  const counting = countingBucket()
  const url = `http://service.example/insight/v1/nodes/${certname}/years.json`
  const response = await app.fetch(new Request(url), { ...env, HISTORY: counting.bucket })
  const runs = await response.json<Answer[]>()
  expect(counting.reads()).toBe(2)
  expect(runs.map(({ hash }) => hash).toReversed()).toEqual(
    reports!.filter((row) => row['certname'] === certname).map(({ hash }) => hash),
  )
  const overview = await app.fetch(new Request('http://service.example/insight/v1/history'), {
    ...env,
    HISTORY: bucket,
  })
  expect(await overview.json()).toMatchObject({
    first: '2025-01-01',
    last: '2025-01-02',
    reports: 16,
    months: [{ month: '2025-01', files: 4, reports: 16 }],
    days: [],
    gaps: [],
  })
  // Sent again by somebody who kept it, with another: the database had lost both.
  const { payload } = [...fleetCommands(fleetOf(0, 0))][0]!
  const late = { ...payload, configuration_version: 'late' }
  await store(payload, late)
  const trigger = { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined }
  const bindings: object = { ...env, HISTORY: bucket, REPORT_TTL: '14d' }
  await worker.scheduled(trigger, bindings as typeof env)
  expect((await rowsByFile('reports')).get('reports/date=2025-01-01/000.parquet')).toMatchObject([
    { configuration_version: 'late' },
  ])
  expect(await countRows('unarchived_days')).toBe(0)
  // Both are proved by their files, and deleted but for the latest.
  await worker.scheduled(trigger, bindings as typeof env)
  expect(await countRows('reports')).toBe(1)
  expect((await problems()).problems).toEqual([])
})

it('is known again once a node was forgotten', async () => {
  for (const day of [0, 1]) await putDay(day, 0)
  await compactNow()
  const [reports] = [...(await rowsByFile('reports')).values()]
  const store: HistoryStore = {
    name: 'the bucket',
    list: paths,
    listWhole: paths,
    async read(path) {
      const object = await bucket.get(path)
      return object && new Uint8Array(await object.arrayBuffer())
    },
    replace: async (path, bytes) => void (await bucket.put(path, bytes)),
    remove: (path) => bucket.delete(path),
  }
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  await forgetNode(store, String(reports![0]!['certname']), true)
  printed.mockRestore()
  const found = (await problems()).problems.filter(({ where }) => where.includes('month='))
  expect(found.length).toBeGreaterThan(0)
  for (const problem of found)
    expect(problem).toMatchObject({ remedy: expect.stringMatching(/^Where a node was forgotten/) })
  await compactNow()
  expect((await problems()).problems.filter(({ where }) => where.includes('month='))).toEqual([])
})
