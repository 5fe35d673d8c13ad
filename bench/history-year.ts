/**
 * Writes a year of a generated fleet as history, straight to Parquet, compacts it to months, and measures questions about it:
 * with DuckDB before and after, and the years of nodes and resources with a delay of each read.
 */

import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { filePath } from '../worker/history/bucket.ts'
import { PartWriter } from '../worker/history/part-writer.ts'
import type { WholeReport } from '../worker/history/read-reports.ts'
import { DAY } from '../worker/lib/time.ts'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { neededBy, QUESTIONS, valuesFor } from '../tools/history/questions.ts'
import { openHistory } from '../tools/history/sql.ts'
import './newer-node.ts'
import { bindingOf } from './binding.ts'
import { folderBucket } from './history/folder-bucket.ts'
import { compactedBy, compactYear, measuredYear, type MeasuredYear } from './history/months.ts'
import { wholeReport } from './history/whole-report.ts'
import { readOptions } from './options.ts'
import { progressOf, tell } from './progress.ts'
import { onFreshService } from './service.ts'
import { median } from './statistics.ts'
import { printTable } from './table.ts'

const options = readOptions(
  {
    nodes: 50,
    days: 365,
    runs: 48,
    seed: 1,
    folder: null,
    samples: 5,
    minutes: 15,
    threads: 2,
    latency: 30,
    asked: 20,
  },
  'bench:history-year -- [--nodes 50] [--days 365] [--runs 48] [--minutes 15] [--threads 2] [--seed 1] [--samples 5] [--latency 30] [--asked 20] --folder DIR',
)
const folder = options.folder ?? '/tmp/history-year'
const FIRST_DAY = Math.floor(Date.UTC(2025, 0, 1) / DAY)
const REPORTS_AT_ONCE = 1000
/** All resources, those with most changes first. */
const RESOURCES = `select resource_type || '[' || resource_title || ']' from events group by 1
  order by count(*) desc, 1`
const WARM_UPS = 5

const bucket = folderBucket(folder)
const namesOf = (place: string): Promise<string[]> =>
  readdir(join(folder, place), { recursive: true }).catch(() => [])
/** Whether days were compacted: a year is written only where none is. */
const isCompacted = async (): Promise<boolean> =>
  (await namesOf('reports')).some((name) => name.startsWith('month='))

if (isMainThread) {
  const before = (await isCompacted()) ? null : await writeAndAsk()
  await onFreshService(
    async ({ probe }) => {
      const DB = bindingOf((statements) => probe(statements))
      await compact(DB)
      tell('asking DuckDB about months')
      const after = await askDuckDB()
      printTable(
        ['question', 'rows', 'days, ms', 'months, ms'],
        after.map(({ name, rows, milliseconds }, index) => [
          ...[name, rows],
          ...[before?.[index]?.milliseconds ?? null, milliseconds],
        ]),
      )
      const nodes = await namedBy('select distinct certname from reports order by 1')
      await askYears(DB, 'node', 'runs', (name) => `/nodes/${name}/years`, evenly(nodes))
      const resources = await namedBy(RESOURCES)
      const ofResource = (name: string): string =>
        `/changes/years?${new URLSearchParams({ resource: name })}`
      await askYears(DB, 'resource', 'changes', ofResource, evenly(resources))
    },
    { probed: true },
  )
} else {
  await writeDays(workerData as Share)
}

async function writeAndAsk(): Promise<Asked[]> {
  await generate()
  tell('asking DuckDB about days')
  return askDuckDB()
}

/** The days of a thread: each `step`-th from the first on, as many as it writes until a time in ms. */
interface Share {
  readonly first: number
  readonly step: number
  readonly until: number
}

/** Writes days by several threads, in their order, so that those that time allows are the first ones. */
async function generate(): Promise<void> {
  const { threads, minutes, days } = options
  const progress = progressOf('days written', days)
  const until = Date.now() + minutes * 60_000
  let written = 0
  const program = fileURLToPath(import.meta.url)
  await Promise.all(
    Array.from({ length: threads }, (_, first) => {
      const share: Share = { first, step: threads, until }
      const worker = new Worker(program, { workerData: share, argv: process.argv.slice(2) })
      worker.on('message', () => progress(++written))
      return new Promise<void>((resolve, reject) => {
        worker.on('error', reject)
        worker.on('exit', () => resolve())
      })
    }),
  )
  tell(`${written} of ${days} days written`)
}

async function writeDays({ first, step, until }: Share): Promise<void> {
  for (let day = first; day < options.days && Date.now() < until; day += step) {
    await writeDay(day)
    parentPort!.postMessage(day)
  }
}

/** A day that an interrupted run has written is left. */
async function writeDay(day: number): Promise<void> {
  if (existsSync(join(folder, filePath('reports', FIRST_DAY + day, 0)))) return
  const { nodes, runs, seed } = options
  const start = (FIRST_DAY + day) * DAY
  const fleet = {
    ...{ nodes, seed, start, firstRun: day * runs },
    ...{ runs: runs - 1, intervalSeconds: 86_400 / runs },
  }
  const reports: WholeReport[] = []
  for (const command of fleetCommands(fleet)) reports.push(wholeReport(command))
  reports.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
  let part = await PartWriter.begin(['events', 'logs', 'metrics'])
  let number = 0
  for (let from = 0; from < reports.length; from += REPORTS_AT_ONCE) {
    await part.add(reports.slice(from, from + REPORTS_AT_ONCE))
    if (!part.isFull && from + REPORTS_AT_ONCE < reports.length) continue
    await part.put(bucket, FIRST_DAY + day, number++)
    part = await PartWriter.begin(['events', 'logs', 'metrics'])
  }
}

function placeOf({ values }: WholeReport): string {
  return `${String(values['certname'])} ${String(values['producer_timestamp'])}`
}

/** Files of the history and their bytes. */
async function size(): Promise<{ files: number; bytes: number }> {
  const names = (await namesOf('')).filter((name) => name.endsWith('.parquet'))
  let bytes = 0
  for (const name of names) bytes += (await stat(join(folder, name))).size
  return { files: names.length, bytes }
}

async function compact(DB: D1Database): Promise<void> {
  tell('compacting')
  const [days, { months, seconds }] = [
    await size(),
    await compactYear(DB, bucket, compactedBy(FIRST_DAY + options.days)),
  ]
  // A database that is new beside a compacted year gets to know its months.
  if (months === 0) return
  const { files, bytes } = await size()
  printTable(
    ['compaction', 'days', 'months'],
    [
      ['files', days.files, files],
      ['MB', days.bytes / 1e6, bytes / 1e6],
      ['seconds a month', null, seconds / months],
    ],
  )
}

interface Asked {
  readonly name: string
  readonly rows: number
  readonly milliseconds: number
}

/** The first column of a query. */
async function namedBy(sql: string): Promise<string[]> {
  const connection = await openHistory(folder)
  const names = (await connection.runAndReadAll(sql)).getRows().map(([name]) => String(name))
  connection.disconnectSync()
  return names
}

/** From the first to the last, as many as are asked for. */
function evenly(names: readonly string[]): string[] {
  const step = Math.max(1, names.length / options.asked)
  return names.filter((_, index) => index % step < 1)
}

async function askYears(
  DB: D1Database,
  what: string,
  rows: string,
  pathOf: (name: string) => string,
  names: readonly string[],
): Promise<void> {
  // The first answers load and compile the reader.
  for (const name of names.slice(0, WARM_UPS)) await measuredYear(DB, bucket, pathOf(name), 0)
  const years: MeasuredYear[] = []
  for (const name of names)
    years.push(await measuredYear(DB, bucket, pathOf(name), options.latency))
  const column = (of: (year: MeasuredYear) => number): [number, number] => {
    const values = years.map(of)
    return [median(values), Math.max(...values)]
  }
  printTable(
    [
      `a year of a ${what}, ${options.latency} ms a read, ${names.length} of them`,
      'median',
      'most',
    ],
    [
      ['ms', ...column(({ milliseconds }) => milliseconds)],
      ['CPU, ms', ...column(({ cpuMilliseconds }) => cpuMilliseconds)],
      ['reads', ...column(({ reads }) => reads)],
      ['MB', ...column(({ bytes }) => bytes / 1e6)],
      [rows, ...column((year) => year.rows)],
    ],
  )
}

async function askDuckDB(): Promise<Asked[]> {
  const connection = await openHistory(folder)
  await connection.run('set threads = 2')
  const [certname] = (
    await connection.runAndReadAll('select min(certname) from reports')
  ).getRows()[0] as [string]
  const given = { certname, type: 'File', title: '/etc/motd', text: 'denied' }
  const asked: Asked[] = []
  for (const question of QUESTIONS) {
    const times: number[] = []
    let count = 0
    for (let sample = 0; sample < options.samples; sample++) {
      const begun = performance.now()
      const answer = await connection.runAndReadAll(question.sql, valuesFor(question, given))
      count = answer.currentRowCount
      times.push(performance.now() - begun)
    }
    const name = [question.name, ...neededBy(question).map((one) => given[one as 'text'])]
    asked.push({ name: name.join(' '), rows: count, milliseconds: median(times) })
  }
  connection.disconnectSync()
  return asked
}
