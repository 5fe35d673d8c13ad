/** What changed a resource beyond the database: what it is answered with, how many reads that takes, and who sees which changes. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import type { ReadRow } from '../../tools/history/api-report.ts'
import type { FleetOptions } from '../../tools/fleet/fleet.ts'
import { app } from '../../worker/app.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import type { WholeReport } from '../../worker/history/read-reports.ts'
import { DAY } from '../../worker/lib/time.ts'
import type { Answer } from './client.ts'
import { tokenLine } from './closed.ts'
import { compactAt, countingBucket, filesOfPart } from './history-days.ts'
import { methods } from './history-faults.ts'
import { bucket, emptyBucket, rowsByFile } from './history-files.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const MONTHS = 13
const firstOf = (month: number): number => Date.UTC(2024, month, 1) / DAY
/** The months end with January 2025. Each has two days. */
const DAYS = Array.from({ length: MONTHS }, (_, month) => [firstOf(month), firstOf(month + 1) - 1])
/** After the compaction, a day of February that waits for its month. */
const OPEN_DAY = firstOf(MONTHS)

const fleetOf = (day: number): FleetOptions & { readonly start: number } => ({
  ...{ nodes: 4, runs: 6, start: day * DAY, intervalSeconds: 3600, seed: day },
  mix: { unchanged: 0, changed: 2, failed: 1, noop: 1 },
})

/** Every second run is of the environment `test`. */
function inTwoEnvironments(): (report: WholeReport) => WholeReport {
  let count = 0
  return (one) => ({
    ...one,
    values: { ...one.values, environment: count++ % 2 === 0 ? 'production' : 'test' },
  })
}

async function putPart(
  day: number,
  part: number,
  changed = inTwoEnvironments(),
  fleet = fleetOf(day),
): Promise<void> {
  for (const [path, bytes] of await filesOfPart(fleet, part, changed)) await bucket.put(path, bytes)
  await env.DB.exec(
    `insert into history_parts (day, part, reports, bytes, first, last, written) values (${day}, ${part}, 1, 1, '', 'z', 0)`,
  )
}

/** All events, the newest first, and the resource that has most of them. */
let events: readonly ReadRow[] = []
let resource = ''
const resourceOf = (row: ReadRow): string =>
  `${String(row['resource_type'])}[${String(row['resource_title'])}]`
const changesOf = (name: string): readonly ReadRow[] =>
  events.filter((row) => resourceOf(row) === name && row['status'] !== 'skipped')
const isOfYear = (row: ReadRow): boolean =>
  Number(row['producer_timestamp']) >= Date.UTC(2024, 1, 1)

beforeAll(async () => {
  await emptyBucket()
  for (const days of DAYS) for (const day of days) await putPart(day, 0)
  const compacted = await compactAt((OPEN_DAY + 60) * DAY, { DB: env.DB, HISTORY: methods })
  expect(compacted).toMatchObject({ months: MONTHS, failure: null })
  await putPart(OPEN_DAY, 0)
  events = [...(await rowsByFile('events')).values()]
    .flat()
    .toSorted(
      (a, b) =>
        Number(b['producer_timestamp']) - Number(a['producer_timestamp']) ||
        Number(b['number']) - Number(a['number']),
    )
  const counts = Map.groupBy(events, resourceOf)
  ;[resource = ''] = [...counts.keys()].toSorted(
    (one, other) => counts.get(other)!.length - counts.get(one)!.length,
  )
  expect(changesOf(resource).length).toBeGreaterThan(30)
})

const get = (path: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
  Promise.resolve(
    app.fetch(new Request(`http://service.example${path}`, init), {
      ...env,
      HISTORY: bucket,
      ...more,
    }),
  )
const pathOf = (given: Record<string, string>, form = ''): string =>
  `/insight/v1/changes/years${form}?${new URLSearchParams({ resource, ...given })}`
const yearsOf = async (given: Record<string, string> = {}, more: object = {}): Promise<Answer> => {
  const response = await get(pathOf(given), more)
  expect(response.status).toBe(200)
  return response.json()
}
const isoOf = (row: ReadRow): string => new Date(Number(row['producer_timestamp'])).toISOString()

it('answers a year by a read for each month and day, and says how far it looked', async () => {
  const counting = countingBucket()
  const answer = await yearsOf({ limit: '500' }, { HISTORY: counting.bucket })
  const year = changesOf(resource).filter(isOfYear)
  expect(answer).toMatchObject({ resource, changes: year.length })
  expect(answer.looked).toMatchObject({
    from: '2024-02-01T00:00:00.000Z',
    files: 13,
    reads: 13,
    unreadable: [],
  })
  expect(counting.reads()).toBe(13)
  expect(
    answer.items.map((item: Answer) => [
      ...[item.report, item.timestamp, item.certname, item.environment, item.status],
      ...[item.property, item.message, item.corrective_change, item.producer_timestamp],
    ]),
  ).toEqual(
    year
      .slice(0, 500)
      .map((row) => [
        ...[row['report'], new Date(Number(row['timestamp'])).toISOString(), row['certname']],
        ...[row['environment'], row['status'], row['property'], row['message']],
        ...[row['corrective_change'] ?? null, isoOf(row)],
      ]),
  )
  // The others are counted only.
  for (const limit of [1, 7, 30])
    expect(await yearsOf({ limit: String(limit) })).toEqual({
      ...answer,
      items: answer.items.slice(0, limit),
      looked: { ...answer.looked, until: expect.any(String) },
    })
  const monthOf = (row: ReadRow): string => isoOf(row).slice(0, 7)
  const months = [...new Set(year.map(monthOf))]
  const isOf = (row: ReadRow, status: string, corrective?: boolean): boolean =>
    row['status'] === status &&
    (corrective === undefined || (row['corrective_change'] === true) === corrective)
  expect(answer.months).toEqual(
    months.map((month) => {
      const some = year.filter((row) => monthOf(row) === month)
      return {
        month,
        intentional: some.filter((row) => isOf(row, 'success', false)).length,
        corrective: some.filter((row) => isOf(row, 'success', true)).length,
        failed: some.filter((row) => isOf(row, 'failure')).length,
        pending: some.filter((row) => isOf(row, 'noop')).length,
        nodes: new Set(some.map((row) => row['certname'])).size,
      }
    }),
  )
  const rest = await yearsOf({ cursor: answer.next })
  const older = changesOf(resource).filter((row) => !isOfYear(row))
  expect(rest).toMatchObject({ changes: older.length, next: null, looked: { from: null } })
})

/** Resources of all that are asked for. */
const SOME = 12

it('finds a resource, by its title alone too, and on one node', async () => {
  const names = [...new Set(events.map(resourceOf))]
  const some = names.filter((_, index) => index % Math.ceil(names.length / SOME) === 0)
  for (const name of some) {
    const { changes } = await yearsOf({ resource: name })
    expect(changes, name).toBe(changesOf(name).filter(isOfYear).length)
  }
  const [, title = ''] = /\[(.*)\]$/s.exec(resource) ?? []
  expect((await yearsOf({ resource: title })).changes).toBe(
    events.filter(
      (row) => row['resource_title'] === title && row['status'] !== 'skipped' && isOfYear(row),
    ).length,
  )
  const certname = String(changesOf(resource)[0]!['certname'])
  const year = changesOf(resource).filter((row) => isOfYear(row) && row['certname'] === certname)
  expect(year.length).toBeGreaterThan(0)
  expect((await yearsOf({ certname })).changes).toBe(year.length)
  expect(await yearsOf({ resource: 'File[/none]' })).toMatchObject({ changes: 0, items: [] })
  const refused = await get(pathOf({ resource: 'File' }))
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("'File' has no title"),
  ])
  expect((await get('/insight/v1/changes/years')).status).toBe(400)
})

it('exports all changes, and shows the years on a page that leads to each report', async () => {
  const all: Answer[] = await (await get(pathOf({}, '.json'))).json()
  expect(all.map(({ report }) => report)).toEqual(changesOf(resource).map((row) => row['report']))
  const limited = await (await get(pathOf({ limit: '3' }, '.csv'))).text()
  const csv = await (await get(pathOf({}, '.csv'))).text()
  expect(limited.trimEnd()).toBe(csv.split('\r\n').slice(0, 4).join('\r\n'))
  const search = new URLSearchParams({ resource })
  const html = { headers: { accept: 'text/html' } }
  const page = await (await get(`/console/changes/years?${search}`, {}, html)).text()
  expect(page).toContain('13 files of the history')
  expect(page).toContain('The years before are on the next page.')
  const next = /href="([^"]+)">next page/.exec(page)![1]!.replaceAll('&amp;', '&')
  const last = await (await get(next, {}, html)).text()
  expect(last).toContain('The history holds nothing older.')
  const [newest] = changesOf(resource)
  expect(page).toContain(`/console/reports/${String(newest!['report'])}?certname=`)
  const [, link] = /href="(\/console\/reports\/[^"]+)"/.exec(page) ?? []
  const report = await get(link!.replaceAll('&amp;', '&'), {}, html)
  expect([report.status, await report.text()]).toEqual([
    200,
    expect.stringContaining('This report is from the history'),
  ])
  const changes = await (await get(`/console/changes?${search}`, {}, html)).text()
  expect(changes).toContain(`/console/changes/years?${search.toString().replaceAll('+', '%20')}`)
  const none = await get(`/console/changes?${search}`, { HISTORY: undefined }, html)
  expect(await none.text()).not.toContain('/console/changes/years')
})

it('shows restricted readers the changes that their restrictions allow', async () => {
  const certname = String(changesOf(resource)[0]!['certname'])
  const bindings = {
    ACCESS: 'closed',
    CONSOLE_KEY: 'k'.repeat(40),
    TOKENS: [
      tokenLine('node', 'read', `certname=${certname}`),
      tokenLine('test', 'read', 'environment=test'),
    ].join('\n'),
  }
  const as = async (token: string): Promise<string[]> => {
    const headers = { 'x-authentication': token }
    const rows: Answer[] = await (await get(pathOf({}, '.json'), bindings, { headers })).json()
    return rows.map(({ report }) => report)
  }
  const allowed = (holds: (row: ReadRow) => boolean) =>
    changesOf(resource)
      .filter(holds)
      .map((row) => row['report'])
  const ofTest = allowed((row) => row['environment'] === 'test')
  expect(ofTest.length).toBeGreaterThan(0)
  expect(ofTest.length).toBeLessThan(changesOf(resource).length)
  expect(await as('test')).toEqual(ofTest)
  expect(await as('node')).toEqual(allowed((row) => row['certname'] === certname))
})

it('names files that can not be read, and exports nothing without them', async () => {
  const path = 'events/month=2024-06/000.parquet'
  const failing: HistoryBucket = {
    ...methods,
    get: (key, options) =>
      key === path ? Promise.reject(new Error('The disk is gone.')) : methods.get(key, options),
  }
  const answer = await yearsOf({}, { HISTORY: failing })
  const others = changesOf(resource).filter(
    (row) => isOfYear(row) && !isoOf(row).startsWith('2024-06'),
  )
  expect([answer.looked.unreadable, answer.changes]).toEqual([[path], others.length])
  const csv = get(pathOf({}, '.csv'), { HISTORY: failing })
  await expect(csv.then((response) => response.text())).resolves.toContain(path)
})

it('reads again where days were compacted after the database named them', async () => {
  const day = OPEN_DAY + 40
  await putPart(day, 0)
  const added = (await rowsByFile('events')).get(`events/date=2025-03-13/000.parquet`)!
  expect(added.length).toBeGreaterThan(0)
  const name = resourceOf(added.find((row) => row['status'] !== 'skipped')!)
  let isCompacted = false
  const late: HistoryBucket = {
    ...methods,
    async get(key, options) {
      if (!isCompacted) {
        isCompacted = true
        const done = await compactAt((day + 60) * DAY, { DB: env.DB, HISTORY: methods })
        expect(done).toMatchObject({ months: 2, failure: null })
      }
      return methods.get(key, options)
    },
  }
  const { items } = await yearsOf({ resource: name, limit: '500' }, { HISTORY: late })
  const found = items.filter((item: Answer) => item.producer_timestamp.startsWith('2025-03-13'))
  expect(found).toHaveLength(
    added.filter((row) => resourceOf(row) === name && row['status'] !== 'skipped').length,
  )
})

it('asks for a node where a file has more changes of a resource than one answer holds', async () => {
  const day = OPEN_DAY + 100
  const fleet = {
    ...fleetOf(day),
    nodes: 2,
    runs: 2,
    mix: { unchanged: 0, changed: 1, failed: 0, noop: 0 },
  }
  let left = 0
  const hot = (report: WholeReport): WholeReport => {
    const [event] = report.events
    const some = Array.from({ length: Math.min(left, 4000) }, (_, number) => ({
      ...event!,
      ...{ number, status: 'success', resource_type: 'Exec', resource_title: 'hot' },
    }))
    left -= some.length
    return { ...report, events: some }
  }
  const read = async (count: number): Promise<Response> => {
    left = count
    await putPart(day, 0, hot, fleet)
    const response = await get(pathOf({ resource: 'Exec[hot]' }))
    await env.DB.exec(`delete from history_parts where day = ${day}`)
    return response
  }
  for (const count of [9999, 10_000]) {
    const response = await read(count)
    expect([count, response.status, (await response.json<Answer>()).changes]).toEqual([
      ...[count, 200, count],
    ])
  }
  const response = await read(10_001)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('more than 10000 changes of Exec[hot]: add a certname'),
  ])
})
