/** Months of a service of one's own: DuckDB counts them as the API does, and a database is rebuilt from them. */

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fleetCommands, type FleetOptions } from '../../tools/fleet/fleet.ts'
import { openHistory } from '../../tools/history/sql.ts'
import { importCommand } from '../../tools/import/import-command.ts'
import { DAY } from '../../worker/lib/time.ts'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { printedBy } from './printed.ts'
import { until } from './until.ts'

const JANUARY = Date.UTC(2026, 0, 1)
/** All of January, and two days of February, which stay in days. */
const DAYS = 33
const RUNS_OF_DAY = 2
/** When January is compacted, and February is not. */
const LATER = Date.UTC(2026, 1, 20)
const FLEET: Omit<FleetOptions, 'runs'> = {
  ...{ nodes: 5, start: JANUARY, intervalSeconds: 86_400 / RUNS_OF_DAY, seed: 11 },
  mix: { unchanged: 2, changed: 2, failed: 2, noop: 1 },
}

let data: string
let service: Service
let folder: string
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'history-months-'))
  folder = join(data, 'history')
  service = await startLocalService({ LOG_REQUESTS: 'off' }, { data })
})
afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true })
})

async function send(fleet: Partial<FleetOptions> & { readonly runs: number }): Promise<void> {
  for (const { command, version, payload } of fleetCommands({ ...FLEET, ...fleet })) {
    const response = await fetch(`${service.url}/pdb/cmd/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command, version, payload }),
    })
    expect(response.status).toBe(200)
  }
}

/** A report as the API answers it. */
type Report = Readonly<Record<'hash' | 'producer_timestamp', string>> &
  Readonly<Record<'resource_events' | 'logs' | 'metrics', { readonly data: unknown[] | null }>>

/** All reports of a service, but for when it received them. */
async function wholeReports(url: string): Promise<Report[]> {
  const query = new URLSearchParams({ query: '["=","type","any"]' })
  const rows = await (await fetch(`${url}/query/v4/reports?${query}`)).json<Report[]>()
  return rows
    .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
    .map((row) => ({ ...row, receive_time: null }))
}

/** Reports, events, log lines and metrics by day. */
type Counts = readonly (readonly [day: string, ...counts: number[]])[]

function countsOf(reports: readonly Report[]): Counts {
  const days = new Map<string, number[]>()
  for (const { producer_timestamp: time, resource_events: events, logs, metrics } of reports) {
    const counts = days.get(time.slice(0, 10)) ?? [0, 0, 0, 0]
    const added = [1, ...[events, logs, metrics].map(({ data }) => data?.length ?? 0)]
    days.set(
      time.slice(0, 10),
      counts.map((count, index) => count + added[index]!),
    )
  }
  return [...days].toSorted().map(([day, counts]) => [day, ...counts])
}

const COUNTS = `with days as (
  select date::varchar as day, 1 as reports, 0 as events, 0 as logs, 0 as metrics from reports
  union all select date::varchar, 0, 1, 0, 0 from events
  union all select date::varchar, 0, 0, 1, 0 from logs
  union all select date::varchar, 0, 0, 0, len(coalesce(json_keys(entries), map_keys(metrics))) from metrics
) select day, sum(reports), sum(events), sum(logs), sum(metrics) from days group by 1 order by 1`

async function countedByDuckDB(): Promise<Counts> {
  const connection = await openHistory(folder)
  const rows = (await connection.runAndReadAll(COUNTS)).getRows()
  return rows.map(([day, ...counts]) => [String(day), ...counts.map(Number)])
}

const filesOfReports = async (): Promise<string[]> =>
  (await readdir(join(folder, 'reports'), { recursive: true }))
    .filter((name) => name.endsWith('.parquet'))
    .toSorted()
const FEBRUARY = ['01', '02'].map((day) => `date=2026-02-${day}/000.parquet`)

/** Lets housekeeping run until the history has these files. */
async function tickUntil(...ofJanuary: readonly string[]): Promise<void> {
  const expected = [...FEBRUARY, ...ofJanuary].toSorted()
  await until(async () => {
    await service.tick(undefined, new Date(LATER))
    expect(await filesOfReports()).toEqual(expected)
  })
}

it("DuckDB's counts of months and days are the API's, and an import gives every report again", async () => {
  await send({ runs: DAYS * RUNS_OF_DAY })
  const first = await wholeReports(service.url)
  expect(first).toHaveLength(5 * DAYS * RUNS_OF_DAY)
  await tickUntil('month=2026-01/000.parquet')
  expect(await countedByDuckDB()).toEqual(countsOf(first))

  // Late reports of so many days that the month is compacted again, with what it has.
  for (let day = 0; day < 9; day++)
    await send({ runs: 1, start: JANUARY + 2 * day * DAY, seed: 12, nodes: 3 })
  await tickUntil('month=2026-01/001.parquet')
  // And one that waits beside them.
  await send({ runs: 1, start: JANUARY + 5 * DAY, seed: 13, nodes: 2 })
  await tickUntil('date=2026-01-06/000.parquet', 'month=2026-01/001.parquet')
  const all = await wholeReports(service.url)
  expect(all).toHaveLength(first.length + 9 * 3 + 2)
  expect(await countedByDuckDB()).toEqual(countsOf(all))

  const rebuilt = await startLocalService({ LOG_REQUESTS: 'off' })
  try {
    const words = [folder, '--to', rebuilt.url]
    const { code, out, err } = await printedBy(() => importCommand(words, data))
    expect([code, err]).toEqual([0, ''])
    expect(await wholeReports(rebuilt.url), out).toEqual(all)
  } finally {
    await rebuilt.stop()
  }
})
