/** HISTORY_TTL: which days of the history housekeeping deletes, and when. */

import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { ask, countRows, store } from './client.ts'
import { bucket, emptyBucket } from './history-files.ts'
import { methods } from './history-faults.ts'
import { problems } from './check-pages.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const iso = (time: number): string => new Date(time).toISOString()
const run = (certname: string, time: number): Payload =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    resources: [resource({ events: [event()] })],
  })

const KEPT = { NODE_TTL: '0', NODE_PURGE_TTL: '0' }
async function tick(
  now: number,
  settings: Readonly<Record<string, string>>,
  history: HistoryBucket = bucket,
): Promise<void> {
  const controller = { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined }
  await worker.scheduled(controller, { ...env, HISTORY: history, ...KEPT, ...settings })
  // On a busy machine a run may end before a month is compacted.
  const { objects } = await bucket.list({ prefix: 'compactions/' })
  if (objects.length > 0) await tick(now, settings, history)
}

const datesIn = async (table: string): Promise<string[]> => {
  const { objects } = await bucket.list({ prefix: `${table}/` })
  return [...new Set(objects.map(({ key }) => key.split('/')[1]!.replace(/^(date|month)=/, '')))]
}
const dates = async (): Promise<string[]> => {
  const [reports, events] = [await datesIn('reports'), await datesIn('events')]
  expect(events).toEqual(reports)
  return reports
}

const MIDNIGHT = NOON - 12 * HOUR
const now = MIDNIGHT + 12 * DAY
const DATES = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-06']

/** The least HISTORY_TTL under which days are compacted; under a shorter one each of them is deleted at its own age. */
const LEAST = '90d'
const SHORTER = '89d'

/** Reports of four days are archived; all but the latest of the last day are deleted from the database. */
beforeEach(async () => {
  await emptyBucket()
  for (const table of [
    ...['reports', 'events', 'nodes', 'open_hours', 'hour_counts', 'unarchived_days'],
    ...[
      'history_days',
      'history_parts',
      'history_months',
      'retention_progress',
      'protected_reports',
      'leases',
    ],
  ])
    await env.DB.exec(`delete from ${table}`)
  await store(...[0, 1, 2, 4].map((day) => run('a', NOON + day * DAY)))
  await tick(now, { REPORT_TTL: '0', HISTORY_TTL: SHORTER })
  await tick(now, { REPORT_TTL: '5d', HISTORY_TTL: SHORTER })
  expect(await dates()).toEqual(DATES)
  expect(await countRows('reports')).toBe(1)
})

const AGE = { REPORT_TTL: '5d', HISTORY_TTL: '10d' }
/** When the first day has the age. */
const due = MIDNIGHT + DAY + 10 * DAY

it.each<[number, readonly string[]]>([
  [-1, DATES],
  [0, DATES.slice(1)],
  [1, DATES.slice(1)],
  [DAY - 1, DATES.slice(1)],
  [DAY, DATES.slice(2)],
])('%i ms after the first day has the age, days are left', async (more, left) => {
  await tick(due + more, AGE)
  expect(await dates()).toEqual(left)
  expect(await countRows('history_parts')).toBe(left.length)
  expect((await problems()).problems).toEqual([])
})

it.each<[string, readonly string[], number]>([
  [SHORTER, DATES, DATES.length],
  [LEAST, ['2026-03'], 0],
  ['0', ['2026-03'], 0],
])('with a HISTORY_TTL of %s, days of a month in progress are %j', async (ttl, left, parts) => {
  await tick(now, { REPORT_TTL: '5d', HISTORY_TTL: ttl })
  expect(await dates()).toEqual(left)
  expect(await countRows('history_parts')).toBe(parts)
  expect((await problems()).problems).toEqual([])
})

it('each day leaves at a short age as long as none is compacted', async () => {
  const age = { REPORT_TTL: '5d', HISTORY_TTL: SHORTER }
  const left: number[] = []
  for (let day = 0; day < 5; day++) {
    await tick(MIDNIGHT + DAY + (89 + day) * DAY, age)
    left.push((await dates()).length)
  }
  // The database has a report of the last one.
  expect(left).toEqual([3, 2, 1, 1, 1])
})

it('0 keeps all, which is the default', async () => {
  await tick(due + 999 * DAY, { REPORT_TTL: '5d' })
  // No report of the month protects it.
  await env.DB.exec('delete from reports')
  await tick(due + 999 * DAY, { REPORT_TTL: '5d', HISTORY_TTL: '0' })
  expect(await dates()).toEqual(['2026-03'])
})

it('a month that was compacted stays until its last day has the age', async () => {
  await tick(due + 60 * DAY, { REPORT_TTL: '5d' })
  expect(await dates()).toEqual(['2026-03'])
  const YEAR = { REPORT_TTL: '5d', HISTORY_TTL: '365d' }
  const last = Date.UTC(2026, 3, 1) + 365 * DAY
  // The database has the latest report.
  await tick(last + DAY, YEAR)
  expect(await dates()).toEqual(['2026-03'])
  await env.DB.exec('delete from reports')
  await tick(last - 1, YEAR)
  expect(await dates()).toEqual(['2026-03'])
  await tick(last, YEAR)
  expect(await dates()).toEqual([])
  expect(await countRows('history_months')).toBe(0)
})

it('a day stays while the database has a report of it', async () => {
  await tick(due + 9 * DAY, AGE)
  expect(await dates()).toEqual(DATES.slice(3))
  await store(run('a', due))
  // The former latest report expires, is proved by its file, and leaves; then its day does.
  await tick(due + 9 * DAY, AGE)
  expect(await ask('/query/v4/reports', {})).toHaveLength(1)
  await tick(due + 9 * DAY, AGE)
  expect((await dates()).filter((date) => DATES.includes(date))).toEqual([])
})

it('days that the database does not know are deleted too', async () => {
  await env.DB.exec('delete from history_parts')
  await tick(due + DAY, AGE)
  expect(await dates()).toEqual(DATES.slice(2))
})

it.each([0, 1, 2])('a run that ends before deletion %i is repeated by the next', async (at) => {
  let deletions = 0
  const dying: HistoryBucket = {
    ...methods,
    delete: (keys) =>
      deletions++ < at ? methods.delete(keys) : Promise.reject(new Error('killed')),
  }
  await tick(due, AGE, dying).catch(() => undefined)
  expect(deletions).toBe(at + 1)
  expect(await datesIn('reports')).toEqual(DATES)
  await tick(due, AGE)
  expect(await dates()).toEqual(DATES.slice(1))
})
