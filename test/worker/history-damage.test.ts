/** Damage to files of the history: each reader names the file, other days go on, and nothing is deleted that can't be read. */

import { Buffer } from 'node:buffer'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { rowsIn } from '../../tools/history/files.ts'
import { app } from '../../worker/app.ts'
import { readPath } from '../../worker/history/bucket.ts'
import { readOwnFooter } from '../../worker/history/open-file.ts'
import worker from '../../worker/index.ts'
import { DAY } from '../../worker/lib/time.ts'
import type { HistoryTable } from '../../worker/schema/history-tables.ts'
import { pageAfter } from './check-pages.ts'
import { store } from './client.ts'
import { compactAt } from './history-days.ts'
import { copyDatabase, dropCopy, methods, restoreDatabase } from './history-faults.ts'
import { bucket, emptyBucket } from './history-files.ts'
import { event, NOON, report, resource } from './reports.ts'

const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
for (const level of ['info', 'warn'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

/** The day whose files are damaged, and one of another month. */
const [DAMAGED, OTHER] = ['2026-03-02', '2026-04-02']
const TIMES = { [DAMAGED]: NOON, [OTHER]: NOON + 31 * DAY }
const NOW = NOON + 60 * DAY
/** So long that no month is compacted. */
const KEPT = { REPORT_TTL: '400d', LOGS_AND_METRICS_TTL: '400d', NODE_TTL: '0' }
const LINE = {
  ...{ file: null, line: null, level: 'notice', message: 'x', source: 'Puppet', tags: [] },
  time: '2026-03-02T11:59:59Z',
}

const tick = (settings: Record<string, string>): Promise<void> =>
  worker.scheduled(
    { scheduledTime: NOW, cron: '13 * * * *', noRetry: () => undefined },
    { ...env, HISTORY: bucket, ...settings },
  )

const hashes = new Map<string, string>()
const files = new Map<string, Uint8Array>()

async function stored(): Promise<string[]> {
  const { results } = await env.DB.prepare('select lower(hex(hash)) as hash from reports').all()
  return results.map(({ hash }) => String(hash))
}

beforeAll(async () => {
  await emptyBucket()
  const at = (time: number) => ({
    certname: 'a',
    ...{ start_time: new Date(time - 9000).toISOString() },
    ...{ end_time: new Date(time).toISOString() },
    producer_timestamp: new Date(time).toISOString(),
    ...{ status: 'changed', logs: [LINE] },
    resources: [resource({ events: [event(), event({ property: 'mode' })] })],
  })
  for (const [date, time] of Object.entries(TIMES)) {
    const before = await stored()
    await store(report(at(time)))
    hashes.set(
      date,
      (await stored()).find((hash) => !before.includes(hash))!,
    )
  }
  // Retention keeps the latest report of a node.
  await store(report({ ...at(NOW), resources: [] }))
  await tick(KEPT)
  for (const { key } of (await bucket.list()).objects)
    files.set(key, new Uint8Array(await (await bucket.get(key))!.arrayBuffer()))
  await copyDatabase()
})
afterAll(dropCopy)

beforeEach(async () => {
  error.mockClear()
  await emptyBucket()
  for (const [path, bytes] of files) await bucket.put(path, bytes)
  await restoreDatabase()
})

const pathOf = (table: HistoryTable): string => `${table}/date=${DAMAGED}/000.parquet`
const flipped = (bytes: Uint8Array, place: number): Uint8Array =>
  bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))

type Damage = (bytes: Uint8Array, table: HistoryTable) => Uint8Array | null
const DAMAGES: Readonly<Record<string, Damage>> = {
  'is missing': () => null,
  'is empty': () => new Uint8Array(),
  'is cut off': (bytes) => bytes.slice(0, bytes.length / 2),
  'lacks its first byte': (bytes) => flipped(bytes, 0),
  'lacks its last byte': (bytes) => flipped(bytes, bytes.length - 1),
  'has another byte in a page': (bytes) => flipped(bytes, 60),
  'has another byte in its footer': (bytes) => flipped(bytes, bytes.length - 300),
  'is a file of another table': (_, table) =>
    files.get(pathOf(table === 'logs' ? 'events' : 'logs'))!,
  'is the file of another day': (_, table) => files.get(pathOf(table).replace(DAMAGED, OTHER))!,
}
const TABLES: readonly HistoryTable[] = ['reports', 'events', 'logs', 'metrics']
/** Logs and metrics are read as events are, so they take the damages that no other case shows of them. */
const OF_ALL: ReadonlySet<string> = new Set([
  'is missing',
  'is empty',
  'has another byte in a page',
  'is the file of another day',
])
const CASES = TABLES.flatMap((table) =>
  Object.entries(DAMAGES)
    .filter(([damage]) => table === 'reports' || table === 'events' || OF_ALL.has(damage))
    .map(([damage, by]) => ({ table, damage, by })),
)

const get = (path: string, accept = 'application/json'): Promise<Response> =>
  app.fetch(new Request(`http://service.example${path}`, { headers: { accept } }), {
    ...env,
    HISTORY: bucket,
  })
const read = async (path: string) =>
  rowsIn(
    {
      read: async (key) => {
        const object = await bucket.get(key)
        return object && new Uint8Array(await object.arrayBuffer())
      },
    },
    readPath(path)!,
  )

describe.each(CASES)('where the file of $table $damage', ({ table, damage, by }) => {
  const path = pathOf(table)
  const isMissing = damage === 'is missing'

  it('each reader names it, and other days go on', async () => {
    const bytes = by(files.get(path)!, table)
    await (bytes === null ? bucket.delete(path) : bucket.put(path, bytes))

    const { problems } = await pageAfter('history')
    expect(problems).toEqual([expect.objectContaining({ where: expect.stringContaining(path) })])
    if (!isMissing) await expect(read(path)).rejects.toThrow(path)

    const [of, other] = [hashes.get(DAMAGED)!, hashes.get(OTHER)!]
    // A file of reports that is gone is written again from the database before retention asks.
    await tick({ ...KEPT, REPORT_TTL: '20d' })
    const left = await stored()
    expect([left.includes(of), left.includes(other)]).toEqual([true, false])
    expect(error.mock.calls.join()).toContain(isMissing && table === 'reports' ? DAMAGED : path)

    await env.DB.exec('delete from reports')
    const query = `certname=a&producer_timestamp=${new Date(NOON).toISOString()}`
    const response = await get(`/insight/v1/reports/${of}?${query}`)
    const answer = await response.text()
    if (table === 'reports')
      expect([response.status, answer]).toEqual([503, expect.stringContaining(path)])
    else expect(JSON.parse(answer)).toMatchObject({ archived: { unreadable: [path] } })

    const unreadable = table === 'reports' ? [path] : []
    const years = await (await get('/insight/v1/nodes/a/years')).json()
    expect(years).toMatchObject({ runs: 2 - unreadable.length, looked: { unreadable } })
    if (table === 'reports')
      expect(await (await get(`/console/reports/${of}`, 'text/html')).text()).toContain(path)

    // Else the month waits for the day.
    await env.DB.exec('delete from unarchived_days')
    const failure = expect.stringContaining(path)
    const compacted = await compactAt(NOW + 500 * DAY, { DB: env.DB, HISTORY: methods }, KEPT)
    // The file of reports commits a part: without it, the other files are of none.
    const isPart = !(isMissing && table === 'reports')
    expect(compacted).toMatchObject({ months: 1, failure: isPart ? failure : null })
  })
})

it('another byte in a footer that is read alone is noticed', () => {
  const path = pathOf('reports')
  const bytes = files.get(path)!
  const end = bytes.slice(bytes.length - 8 - Buffer.from(bytes).readUInt32LE(bytes.length - 8))
  const unnoticed = [...end.keys()].filter((place) => {
    try {
      return readOwnFooter(path, flipped(end, place)).num_rows > 0n
    } catch {
      return false
    }
  })
  // The digits of the file's checksum, which the footer doesn't ask.
  const name = 'report-query-service.sha256'
  const digits = Buffer.from(end).lastIndexOf(name) + name.length + 2
  expect(unnoticed).toEqual(Array.from({ length: 64 }, (_, index) => digits + index))
})
