/** Writes a year of a generated fleet as history, straight to Parquet, and measures questions about it with DuckDB. */

import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { HistoryBucket } from '../worker/history/bucket.ts'
import { PartWriter } from '../worker/history/part-writer.ts'
import type { WholeReport } from '../worker/history/read-reports.ts'
import { DAY } from '../worker/lib/time.ts'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { neededBy, QUESTIONS, valuesFor } from '../tools/history/questions.ts'
import { openHistory } from '../tools/history/sql.ts'
import { wholeReport } from './history/whole-report.ts'
import { readOptions } from './options.ts'
import { progressOf, tell } from './progress.ts'
import { median } from './statistics.ts'
import { printTable } from './table.ts'

const options = readOptions(
  { nodes: 50, days: 365, runs: 48, seed: 1, folder: null, samples: 5, minutes: 15, threads: 2 },
  'bench:history-year -- [--nodes 50] [--days 365] [--runs 48] [--minutes 15] [--threads 2] [--seed 1] [--samples 5] --folder DIR',
)
const folder = options.folder ?? '/tmp/history-year'
const FIRST_DAY = Math.floor(Date.UTC(2025, 0, 1) / DAY)
const REPORTS_AT_ONCE = 1000

const bucket: HistoryBucket = {
  async put(key, bytes) {
    await mkdir(dirname(join(folder, key)), { recursive: true })
    await writeFile(join(folder, key), bytes)
    return {}
  },
  delete: () => Promise.resolve(),
  get: () => Promise.reject(new Error('Nothing is read.')),
  list: () => Promise.reject(new Error('Nothing is listed.')),
}

if (isMainThread) {
  if (!existsSync(folder)) await generate()
  await ask()
} else {
  await writeDays(workerData as Share)
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

async function writeDay(day: number): Promise<void> {
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
    part.add(reports.slice(from, from + REPORTS_AT_ONCE))
    if (!part.isFull && from + REPORTS_AT_ONCE < reports.length) continue
    await part.put(bucket, FIRST_DAY + day, number++)
    part = await PartWriter.begin(['events', 'logs', 'metrics'])
  }
}

function placeOf({ values }: WholeReport): string {
  return `${String(values['certname'])} ${String(values['producer_timestamp'])}`
}

async function ask(): Promise<void> {
  const connection = await openHistory(folder)
  await connection.run('set threads = 2')
  const [certname] = (
    await connection.runAndReadAll('select min(certname) from reports')
  ).getRows()[0] as [string]
  const given = { certname, type: 'File', title: '/etc/motd', text: 'denied' }
  const rows: [string, string, string][] = []
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
    rows.push([name.join(' '), String(count), median(times).toFixed(0)])
  }
  printTable(['question', 'rows', 'median, ms'], rows)
}
