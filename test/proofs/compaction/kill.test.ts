/**
 * Each report of a year is in the history once when the service is killed while it compacts the year's months. `npm start`'s
 * own process is killed with all of its processes, 25 times: in each month once while its files are written and once while
 * the days are deleted, and once more. DuckDB reads what each death left; in the end, pages do too.
 *
 * SEED says at which moments.
 */

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fleetCommands } from '../../../tools/fleet/fleet.ts'
import { openHistory } from '../../../tools/history/sql.ts'
import { dateOf, dayOfTime, monthAfter, monthOf } from '../../../worker/history/bucket.ts'
import { DAY } from '../../../worker/lib/time.ts'
import { HISTORY_TABLE_NAMES } from '../../../worker/schema/history-tables.ts'
import { freePort, start, type Running } from '../../local/kill/service.ts'
import { randomOf } from '../../local/kill/random.ts'
import { startLocalService } from '../../local/local-service.ts'
import { until } from '../../local/until.ts'

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const KILLS = 25
const MONTHS = 12
const NODES = 3
const RUNS_OF_DAY = 2
/** From its end on, a month is compacted after retention and a day. */
const SETTLED = 15 * DAY
const SETTINGS = { REPORT_TTL: '14d', NODE_TTL: '0', NODE_PURGE_TTL: '0', LOG_REQUESTS: 'off' }
/** Under these, the archive writes days, and nothing is compacted. */
const BEFORE = { LOG_REQUESTS: 'off', LOGS_AND_METRICS_TTL: '900d' }

/** The first days of the months, the oldest first, and the day after them. */
const END = monthOf(dayOfTime(Date.now() - SETTLED))
const FIRSTS = monthsBefore(END)
const FIRST = FIRSTS[0]!
const REPORTS = (END - FIRST) * NODES * RUNS_OF_DAY

function monthsBefore(end: number): number[] {
  const months = [monthOf(end - 1)]
  while (months.length < MONTHS) months.unshift(monthOf(months[0]! - 1))
  return months
}

let data = ''
let folder = ''
let running: Running | null = null
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'kill-compaction-'))
  folder = join(data, 'history')
})
afterAll(async () => {
  await running?.end('SIGKILL')
  await rm(data, { recursive: true, force: true })
})

/** Stores the year, and lets the archive write its days. */
async function fill(): Promise<void> {
  const service = await startLocalService(BEFORE, { data })
  const commands = fleetCommands({
    ...{ nodes: NODES, runs: REPORTS / NODES, start: FIRST * DAY, seed: SEED },
    intervalSeconds: 86_400 / RUNS_OF_DAY,
  })
  const send = async (): Promise<void> => {
    for (const { command, version, payload } of commands) {
      const response = await fetch(`${service.url}/pdb/cmd/v1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ command, version, payload }),
      })
      expect(response.status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
  await until(async () => {
    await service.tick()
    expect((await readdir(join(folder, 'reports'))).length).toBe(END - FIRST)
  })
  await service.stop()
}

const names = (): Promise<string[]> => readdir(folder, { recursive: true })

/** How far the year is, as a number that grows: months without days, then what is written of the next, then days' files that it deleted. */
async function progress(filesOfDays: readonly number[]): Promise<number> {
  const found = await names()
  const monthOfName = FIRSTS.map((first) => dateOf(first).slice(0, 7))
  const countOf = (pattern: RegExp): number => found.filter((name) => pattern.test(name)).length
  const month = monthOfName.findIndex((name) => countOf(new RegExp(`date=${name}.*parquet$`)) > 0)
  if (month < 0) return MONTHS * OF_MONTH
  const name = monthOfName[month]!
  const written = countOf(new RegExp(`(compactions/|month=)${name}.*(json|done|parquet)$`))
  const deleted = filesOfDays[month]! - countOf(new RegExp(`date=${name}.*parquet$`))
  return month * OF_MONTH + (deleted > 0 ? MOST_WRITTEN + deleted : written)
}
const OF_MONTH = 1000
/** A record, a file of each table, and the record that they are complete. */
const MOST_WRITTEN = 2 + HISTORY_TABLE_NAMES.length

/** Rows of each table, and how many reports they are of. */
async function rowsOnDisk(): Promise<number[][]> {
  const connection = await openHistory(folder)
  const rows: number[][] = []
  for (const table of HISTORY_TABLE_NAMES) {
    const report = table === 'reports' ? 'hash' : 'report'
    const answer = await connection.runAndReadAll(
      `select count(*), count(distinct ${report}) from ${table}`,
    )
    rows.push(answer.getRows()[0]!.map(Number))
  }
  connection.disconnectSync()
  return rows
}

async function hashesOnDisk(): Promise<Map<string, string[]>> {
  const connection = await openHistory(folder)
  const answer = await connection.runAndReadAll(
    'select certname, list(hash order by producer_timestamp desc) as hashes from reports group by 1',
  )
  const rows = answer.getRowObjectsJson() as { certname: string; hashes: string[] }[]
  connection.disconnectSync()
  return new Map(rows.map(({ certname, hashes }) => [certname, hashes]))
}

/** The hashes of a node's runs, as the page of its years exports them. */
async function hashesOnPages(url: string, certname: string): Promise<string[]> {
  const response = await fetch(`${url}/insight/v1/nodes/${certname}/years.csv`)
  expect(response.status).toBe(200)
  const lines = (await response.text()).trimEnd().split('\r\n').slice(1)
  return lines.map((line) => line.split(',')[1]!)
}

it(
  `${KILLS} kills in the compaction of a year's months (SEED=${SEED}) lose and double no report`,
  { timeout: 20 * 60_000 },
  async () => {
    await fill()
    const before = await rowsOnDisk()
    const hashes = await hashesOnDisk()
    expect(before[0]).toEqual([REPORTS, REPORTS])
    const found = await names()
    const filesOfDays = FIRSTS.map((first) => found.filter((name) => isOfMonth(name, first)).length)

    const random = randomOf(SEED)
    const upTo = (most: number): number => 1 + Math.floor(random() * most)
    const moments = FIRSTS.flatMap((_, month) => [
      month * OF_MONTH + upTo(MOST_WRITTEN),
      month * OF_MONTH + MOST_WRITTEN + upTo(Math.floor(filesOfDays[month]! / 2)),
    ])
    moments.push(upTo(MONTHS - 1) * OF_MONTH + 1)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const reached: number[] = []
    for (const moment of moments.toSorted((one, other) => one - other)) {
      const begun = await progress(filesOfDays)
      running = start(port, data, SETTINGS)
      const reaches = until(async () => {
        const far = await progress(filesOfDays)
        expect(far).toBeGreaterThanOrEqual(moment)
        expect(far).toBeGreaterThan(begun)
      })
      // It may be killed before it answers; one that can't start is told at once.
      await Promise.race([reaches, running.ready.then(() => reaches)])
      await running.end('SIGKILL')
      running = null
      reached.push(await progress(filesOfDays))
      expect(await rowsOnDisk(), `killed at ${reached.at(-1)}`).toEqual(before)
    }
    console.log(`SEED=${SEED}: killed at ${reached.join(' ')} of ${MONTHS * OF_MONTH}`)
    expect(new Set(reached).size).toBe(KILLS)
    expect(reached.at(-1)).toBeLessThan(MONTHS * OF_MONTH)

    running = start(port, data, SETTINGS)
    await running.ready
    await until(async () => {
      expect(await progress(filesOfDays)).toBe(MONTHS * OF_MONTH)
      expect((await names()).filter((name) => /\.(json|done)$/.test(name))).toEqual([])
    })
    expect(await rowsOnDisk()).toEqual(before)
    expect(await hashesOnDisk()).toEqual(hashes)
    for (const [certname, ofNode] of hashes) {
      expect(await hashesOnPages(url, certname)).toEqual(ofNode)
      expect(new Set(ofNode).size).toBe(REPORTS / NODES)
    }
    await running.end('SIGINT')
    running = null
  },
)

const isOfMonth = (name: string, first: number): boolean => {
  const date = /date=(\d{4}-\d\d-\d\d)\/\d+\.parquet$/.exec(name)?.[1]
  if (date === undefined) return false
  const day = Date.parse(date) / DAY
  return first <= day && day < monthAfter(first)
}
