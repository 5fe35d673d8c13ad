/**
 * Compacts days into files of their month, so that a year of a node is a few reads: `reports` sorted by certname, the other
 * tables as the days had them. A month that is not over is compacted every few days, with what it has already. Object storage is the truth, as it is of days (compaction.ts): a run that
 * ends anywhere is gone on with by the next. Only the holder of housekeeping's lease compacts.
 */

import { log } from '../lib/log.ts'
import { laterTurn } from '../lib/turns.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import type { Settings } from '../schema/settings.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { forgetParts } from '../store/history.ts'
import {
  forgetMonth,
  readKnownMonths,
  readPartsBetween,
  writeMonthFiles,
  type KnownMonthFile,
  type MonthFileRow,
} from '../store/history-months.ts'
import {
  dateOf,
  dayPrefix,
  deleteFiles,
  listFiles,
  monthAfter,
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
  readRecords,
  recordPath,
  takenPaths,
  type CompactedFile,
  type Compaction,
} from './compaction.ts'
import { beginCompaction, IF_NEW, noteDamaged } from './begin-compaction.ts'
import { copyTable, runsOf } from './copy-table.ts'
import type { History } from './history.ts'
import { mergeReports, type ReportsSource } from './merge-reports.ts'
import { readFooter, describeMonthFile } from './month-file.ts'
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

/** @param now in ms @param longestMs for how long further files are begun */
export async function compactMonths(
  database: Database,
  history: History,
  settings: Settings,
  now: number,
  longestMs = LONGEST_RUN_MS,
): Promise<Compacted> {
  const { bucket } = history
  const until = Date.now() + longestMs
  const done = { months: 0, files: 0, failure: null as string | null }
  try {
    const { pending, left } = await readRecords(recordReader(bucket))
    if (left.length > 0) await bucket.delete([...left])
    const begun = [...pending]
    if (begun.length === 0) await syncMonths(database, bucket)
    const months = new Set(begun.map(({ compaction }) => compaction.month))
    while (Date.now() < until) {
      const underWay = begun.shift()
      const compaction =
        underWay?.compaction ??
        (await beginCompaction(database, history, settings, now, { months, done }))
      if (compaction === null) break
      months.add(compaction.month)
      const run = new MonthRun(database, bucket, compaction, until)
      const isComplete = await compactUnlessDamaged(run, underWay?.isDone ?? false, done)
      done.files += run.files
      if (!isComplete) break
    }
  } catch (error) {
    done.failure = (error as Error).message
    log('error', { history: `Days are not compacted: ${done.failure}` })
  }
  return done
}

/** A damaged file costs its own month only. @returns whether the run may go on with the next month */
async function compactUnlessDamaged(
  run: MonthRun,
  isDone: boolean,
  done: { months: number; failure: string | null },
): Promise<boolean> {
  try {
    const isComplete = await run.compact(isDone)
    done.months += Number(isComplete)
    return isComplete
  } catch (error) {
    noteDamaged(error, done)
    return true
  }
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
  private async put(path: string, bytes: Uint8Array): Promise<void> {
    await this.bucket.put(path, bytes, IF_NEW)
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
        const path = monthPath(table, month, from + index)
        const bytes = await copyTable(this.bucket, path, table, month, run)
        if (bytes !== null) await this.put(path, bytes)
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
      const path = monthPath('reports', month, last === undefined ? from : last.part + 1)
      const bytes = await mergeReports(
        this.bucket,
        path,
        month,
        sources,
        after?.last ?? null,
        laterTurn,
      )
      if (bytes === null) return true
      await this.put(path, bytes)
    }
  }

  /** The remaining files of `reports` with their certnames, which the database knows for files of days; other files are read for them. */
  private async sources(): Promise<ReportsSource[]> {
    const { month, files } = this.compaction
    const parts = await readPartsBetween(this.database, month, monthAfter(month))
    const sources: ReportsSource[] = []
    for (const file of await listFiles(this.bucket, monthPrefix('reports', month))) {
      const row = isTaken(this.compaction, file) ? await describeMonthFile(this.bucket, file) : null
      if (row !== null) sources.push({ ...file, first: row.first, last: row.last })
    }
    for (const day of new Set(daysOf(files.reports).map((file) => file.day))) {
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
    for (const { bytes, ...place } of sources) {
      const footer = await readFooter(this.bucket, pathOf({ table: 'reports', ...place }), bytes)
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
    const partsOf = Map.groupBy(daysOf(files.reports), ({ day }) => day)
    await this.database.batch([
      ...(await statementsOf(this.bucket, month, this.compaction)),
      ...[...partsOf].map(([day, some]) =>
        forgetParts(
          day,
          some.map(({ part }) => part),
        ),
      ),
    ])
  }
}

const daysOf = (files: readonly CompactedFile[]): CompactedFile[] =>
  files.filter(({ span }) => span === 'day')

/** The statements by which the database knows the files of a month as they are, without those that a compaction took. */
async function statementsOf(
  bucket: HistoryBucket,
  month: number,
  compaction: Compaction | null,
): Promise<Statement[]> {
  const rows: MonthFileRow[] = []
  for (const table of HISTORY_TABLE_NAMES) {
    for (const file of await listFiles(bucket, monthPrefix(table, month))) {
      if (compaction !== null && isTaken(compaction, file)) continue
      const row = await describeMonthFile(bucket, file)
      if (row !== null) rows.push(row)
    }
  }
  return [forgetMonth(month), writeMonthFiles(rows, Date.now())]
}

/** Compares what the database knows of months with object storage: it may be of another past, or beside an older history, or a node was forgotten. */
async function syncMonths(database: Database, bucket: HistoryBucket): Promise<void> {
  const keyOf = ({ month, part, bytes }: Omit<KnownMonthFile, 'last'>): string =>
    `${month} ${part} ${bytes}`
  const files = (await listFiles(bucket, 'reports/month=')).map(({ day, part, bytes }) => ({
    month: day,
    part,
    bytes,
  }))
  const rows = await readKnownMonths(database)
  const [found, known] = [new Set(files.map(keyOf)), new Set(rows.map(keyOf))]
  const differing = new Set(
    [
      ...files.filter((file) => !known.has(keyOf(file))),
      ...rows.filter((row) => !found.has(keyOf(row))),
    ].map(({ month }) => month),
  )
  for (const month of differing) await database.batch(await statementsOf(bucket, month, null))
}
