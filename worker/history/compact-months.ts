/**
 * Compacts the days of closed months into files of the month, so that a year of a node is a few reads: `reports` sorted by
 * certname, the other tables as the days had them. Object storage is the truth, as it is of days (compaction.ts): a run that
 * ends anywhere is gone on with by the next. Only the holder of housekeeping's lease compacts.
 */

import { log } from '../lib/log.ts'
import { DAY } from '../lib/time.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import type { Settings } from '../schema/settings.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { forgetParts } from '../store/history.ts'
import {
  anyDayWaits,
  forgetMonth,
  readDaysWithParts,
  readKnownMonths,
  readPartsBetween,
  writeMonthFiles,
  type MonthFileRow,
} from '../store/history-months.ts'
import {
  dateOf,
  dayOfTime,
  dayPrefix,
  deleteFiles,
  filePath,
  firstFiles,
  listFiles,
  monthAfter,
  monthOf,
  monthPath,
  monthPrefix,
  pathOf,
  type HistoryBucket,
  type HistoryFile,
} from './bucket.ts'
import {
  donePath,
  isTaken,
  recordReader,
  readPending,
  recordPath,
  takenPaths,
  type Compaction,
} from './compaction.ts'
import { copyTable, runsOf } from './copy-table.ts'
import type { History } from './history.ts'
import { mergeReports, type ReportsSource } from './merge-reports.ts'
import { readFooter } from './month-file.ts'
import { describeMonthFile } from './month-parts.ts'
import { readSummary } from './part-hashes.ts'

/** What a run has compacted. */
export interface Compacted {
  readonly months: number
  readonly files: number
  /** Why it could not go on; null where it could. */
  readonly failure: string | null
}

/** Bounds of a run: a further file is begun until then. */
const LONGEST_RUN_MS = 15_000
/** A month is compacted when retention has been through with it for so long, and late reports are rare. */
const SETTLED_MS = 7 * DAY
/** A shorter HISTORY_TTL deletes days before they would be compacted, or soon after. */
const LEAST_HISTORY_TTL_MS = 90 * DAY
const DAYS_OF_MONTH = 31
/** Days of a compacted month that late reports have come for, until it is compacted again. */
const MOST_LATE_PARTS = 8

/** @param now in ms @param longestMs for how long further files are begun */
export async function compactMonths(
  database: Database,
  { bucket }: History,
  settings: Settings,
  now: number,
  longestMs = LONGEST_RUN_MS,
): Promise<Compacted> {
  const until = Date.now() + longestMs
  const done = { months: 0, files: 0, failure: null as string | null }
  try {
    let [pending] = await readPending(recordReader(bucket))
    if (pending === undefined) await syncMonths(database, bucket)
    for (; Date.now() < until; pending = undefined) {
      const compaction = pending?.compaction ?? (await begin(database, bucket, settings, now))
      if (compaction === null) break
      const run = new MonthRun(database, bucket, compaction, until)
      const isComplete = await run.compact(pending?.isDone ?? false)
      done.files += run.files
      if (!isComplete) break
      done.months++
    }
  } catch (error) {
    done.failure = (error as Error).message
    log('error', { history: `Days are not compacted: ${done.failure}` })
  }
  return done
}

/** The age in ms from its end on at which retention reads no file of a month any more, but for single reports. */
const ageOf = (settings: Settings): number =>
  SETTLED_MS +
  Math.max(
    ...[settings.REPORT_TTL, settings.RESOURCE_EVENTS_TTL, settings.LOGS_AND_METRICS_TTL],
    ...settings.REPORT_TTL_RULES.map(({ ttl }) => ttl),
  )

/** Records the next month to compact. @returns null where there is none */
async function begin(
  database: Database,
  bucket: HistoryBucket,
  settings: Settings,
  now: number,
): Promise<Compaction | null> {
  const { HISTORY_TTL: ttl } = settings
  if (ttl > 0 && ttl < LEAST_HISTORY_TTL_MS) return null
  const end = monthOf(dayOfTime(now - ageOf(settings)))
  // Days that HISTORY_TTL deletes soon are left as they are.
  const first = ttl === 0 ? -Infinity : dayOfTime(now - ttl) + DAYS_OF_MONTH
  for (const month of await monthsWithDays(database, bucket, end)) {
    if (month < first) continue
    if (await anyDayWaits(database, month, monthAfter(month))) continue
    const compaction = await compactionOf(bucket, month)
    if (compaction === null) continue
    // Left by a run that ended between its last two steps.
    await bucket.delete([donePath(compaction)])
    const record = new TextEncoder().encode(JSON.stringify(compaction))
    // Another run may have been first: the next one goes on with its record.
    if ((await bucket.put(recordPath(compaction), record, IF_NEW)) === null) return null
    return compaction
  }
  return null
}

const IF_NEW = { onlyIf: { etagDoesNotMatch: '*' } }

/** The months up to `end`, which is left out, that have files of days, and too many where they are compacted already. */
async function monthsWithDays(
  database: Database,
  bucket: HistoryBucket,
  end: number,
): Promise<number[]> {
  const parts = new Map<number, number>()
  for (const { day, parts: count } of await readDaysWithParts(database, end))
    parts.set(monthOf(day), (parts.get(monthOf(day)) ?? 0) + count)
  // A database that was restored, or is new beside an older history, doesn't know all days.
  for (const { day } of await firstFiles(bucket, 'reports/date='))
    if (day < end && !parts.has(monthOf(day))) parts.set(monthOf(day), 1)
  const known = new Set((await readKnownMonths(database)).map(({ month }) => month))
  return [...parts]
    .filter(([month, count]) => !known.has(month) || count > MOST_LATE_PARTS)
    .map(([month]) => month)
    .toSorted((one, other) => one - other)
}

/** @returns null where the month has no files of days */
async function compactionOf(bucket: HistoryBucket, month: number): Promise<Compaction | null> {
  const files = {} as Record<HistoryTable, { day: number; part: number; bytes: number }[]>
  let from = 0
  for (const table of HISTORY_TABLE_NAMES) {
    const found: HistoryFile[] = []
    for (let day = month; day < monthAfter(month); day++)
      found.push(...(await listFiles(bucket, dayPrefix(table, day))))
    files[table] = found.map(({ day, part, bytes }) => ({ day, part, bytes }))
    for (const { part } of await listFiles(bucket, monthPrefix(table, month)))
      from = Math.max(from, part + 1)
  }
  return files.reports.length === 0 ? null : { month, from, files }
}

/** One run of a month's compaction, or a part of it. */
class MonthRun {
  /** Files that were written. */
  files = 0

  constructor(
    private readonly database: Database,
    private readonly bucket: HistoryBucket,
    private readonly compaction: Compaction,
    private readonly until: number,
  ) {}

  /** @returns whether the month is compacted; if not, a later run continues */
  async compact(isDone: boolean): Promise<boolean> {
    if (!isDone) {
      const sources = await this.sources()
      if (sources.length > 0) {
        if (!((await this.copyTables()) && (await this.mergeReports(sources)))) return false
        await this.requireAll(sources)
        await this.bucket.put(donePath(this.compaction), new Uint8Array(), IF_NEW)
      }
    }
    await this.commit()
    await deleteFiles(this.bucket, takenPaths(this.compaction))
    // The record first: without it, the other says nothing.
    await this.bucket.delete([recordPath(this.compaction)])
    await this.bucket.delete([donePath(this.compaction)])
    return true
  }

  /** The files of a table that this compaction wrote, in their order. */
  private async written(table: HistoryTable): Promise<HistoryFile[]> {
    const { month, from } = this.compaction
    const files = await listFiles(this.bucket, monthPrefix(table, month))
    return files.filter(({ part }) => part >= from).toSorted((one, other) => one.part - other.part)
  }

  /** A file that is there was written by a run with the same record, and so is the same. */
  private async put(table: HistoryTable, part: number, bytes: Uint8Array): Promise<void> {
    await this.bucket.put(monthPath(table, this.compaction.month, part), bytes, IF_NEW)
    this.files++
  }

  /** @returns whether all files of the other tables are written */
  private async copyTables(): Promise<boolean> {
    const { month, from, files } = this.compaction
    for (const table of HISTORY_TABLE_NAMES.filter((one) => one !== 'reports')) {
      const written = new Set((await this.written(table)).map(({ part }) => part))
      for (const [index, run] of runsOf(files[table]).entries()) {
        if (written.has(from + index)) continue
        if (Date.now() >= this.until) return false
        const bytes = await copyTable(this.bucket, table, month, run)
        if (bytes !== null) await this.put(table, from + index, bytes)
      }
    }
    return true
  }

  /** @returns whether all reports are merged */
  private async mergeReports(sources: readonly ReportsSource[]): Promise<boolean> {
    const { month, from } = this.compaction
    for (;;) {
      const last = (await this.written('reports')).at(-1)
      const after = last === undefined ? undefined : await describeMonthFile(this.bucket, last)
      if (Date.now() >= this.until) return false
      const bytes = await mergeReports(this.bucket, month, sources, after?.last ?? null, pause)
      if (bytes === null) return true
      await this.put('reports', last === undefined ? from : last.part + 1, bytes)
    }
  }

  /** The days' files of `reports` that are still there, with their certnames as the database knows them, else as they have them. */
  private async sources(): Promise<ReportsSource[]> {
    const { month, files } = this.compaction
    const parts = await readPartsBetween(this.database, month, monthAfter(month))
    const sources: ReportsSource[] = []
    for (const day of new Set(files.reports.map((file) => file.day))) {
      for (const file of await listFiles(this.bucket, dayPrefix('reports', day))) {
        if (!isTaken(this.compaction, file)) continue
        const known = parts.find((part) => part.day === day && part.part === file.part)
        sources.push({ ...file, ...(known ?? (await readSummary(this.bucket, day, file.part))) })
      }
    }
    return sources
  }

  /** The month is done only if it has every report of its days. @throws Error, and the next run begins again */
  private async requireAll(sources: readonly ReportsSource[]): Promise<void> {
    const { month, files } = this.compaction
    let [taken, merged] = [0, 0]
    for (const { day, part, bytes } of sources) {
      const footer = await readFooter(this.bucket, filePath('reports', day, part), bytes)
      taken += Number(footer?.num_rows ?? 0)
    }
    const written = await this.written('reports')
    for (const file of written) merged += (await describeMonthFile(this.bucket, file))?.rows ?? 0
    if (merged === taken) return
    // With a day's file missing, a file of the month may be all that is left of it.
    if (sources.length === files.reports.length) {
      const all = await Promise.all(HISTORY_TABLE_NAMES.map((table) => this.written(table)))
      await deleteFiles(this.bucket, all.flat().map(pathOf))
      await this.bucket.delete([recordPath(this.compaction)])
    }
    throw new Error(
      `the days of ${dateOf(month).slice(0, 7)} have ${taken} reports, and the files of the month ${merged}. The days stay.`,
    )
  }

  /** Tells the database, in one transaction, that the month holds what its days did. */
  private async commit(): Promise<void> {
    const { month, files } = this.compaction
    const days = [...new Set(files.reports.map(({ day }) => day))]
    const partsOf = (day: number): number[] =>
      files.reports.filter((file) => file.day === day).map(({ part }) => part)
    await this.database.batch([
      ...(await statementsOf(this.bucket, month)),
      ...days.map((day) => forgetParts(day, partsOf(day))),
    ])
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** The statements by which the database knows the files of a month as they are. */
async function statementsOf(bucket: HistoryBucket, month: number): Promise<Statement[]> {
  const rows: MonthFileRow[] = []
  for (const table of HISTORY_TABLE_NAMES) {
    for (const file of await listFiles(bucket, monthPrefix(table, month))) {
      const row = await describeMonthFile(bucket, file)
      if (row !== null) rows.push(row)
    }
  }
  return [forgetMonth(month), writeMonthFiles(rows, Date.now())]
}

/** Compares what the database knows of months with object storage: it may be of another past, or beside an older history. */
async function syncMonths(database: Database, bucket: HistoryBucket): Promise<void> {
  const keyOf = (month: number, part: number): string => `${month} ${part}`
  const files = await listFiles(bucket, 'reports/month=')
  const found = new Set(files.map(({ day, part }) => keyOf(day, part)))
  const rows = await readKnownMonths(database)
  const known = new Set(rows.map(({ month, part }) => keyOf(month, part)))
  const differing = new Set([
    ...files.filter(({ day, part }) => !known.has(keyOf(day, part))).map(({ day }) => day),
    ...rows.filter(({ month, part }) => !found.has(keyOf(month, part))).map(({ month }) => month),
  ])
  for (const month of differing) await database.batch(await statementsOf(bucket, month))
}
