/**
 * Writes closed days to the history, ahead of retention. Object storage is the truth: a part is there once its file of
 * `reports` is, which is put last and never replaced. So a run that ends anywhere loses and doubles nothing: the next one
 * takes over whatever parts it finds, and leaves out the reports that they hold. The same holds after a restore of the
 * database. Only the holder of housekeeping's lease archives.
 */

import { log } from '../lib/log.ts'
import { HOUR, MINUTE } from '../lib/time.ts'
import { HISTORY_TABLE_NAMES } from '../schema/history-tables.ts'
import { lastDayBefore } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { unlessFull } from '../store/failures.ts'
import {
  completeDay,
  forgetDay,
  forgetParts,
  lackUnknownDays,
  markArchived,
  readDayProgress,
  readUnarchivedDays,
  writePart,
  writeProgressOfDay,
  type HistoryPart,
  type UnarchivedDay,
} from '../store/history.ts'
import {
  dayPrefix,
  filePath,
  listFiles,
  monthOf,
  monthPath,
  monthPrefix,
  type HistoryBucket,
  type HistoryFile,
} from './bucket.ts'
import { recordReader, readPending, wholeFiles, type Pending } from './compaction.ts'
import type { History } from './history.ts'
import type { MonthFileRow } from '../store/history-months.ts'
import { describeMonthFile } from './month-file.ts'
import { DamagedPart, remedyOfFile } from './open-file.ts'
import { heldHashes, readHashes, readSummary } from './part-hashes.ts'
import { SETTLED_MS } from './lag.ts'
import { PartWriter, type WrittenPart } from './part-writer.ts'
import {
  listReports,
  readableRuns,
  readReports,
  type ListedReport,
  type Place,
  type Selection,
} from './read-reports.ts'
import { readWholePart } from './whole-part.ts'

/** What an archiving run has done. */
export interface Archived {
  readonly days: number
  readonly parts: number
  readonly reports: number
  readonly bytes: number
  /** Why it could not go on; null where it could. */
  readonly failure: string | null
}

/** A pass over late reports begins before the last pass did, since a report is stored some time after it is received. */
const OVERLAP_MS = HOUR
/** Bounds of one run, below those of a cron trigger and of housekeeping's lease. */
const LONGEST_RUN_MS = 4 * MINUTE
const MOST_STATEMENTS = 250
const MOST_DAYS = 50

/** @param now in ms */
export async function archiveDays(
  database: Database,
  history: History,
  now: number,
): Promise<Archived> {
  const until = Date.now() + LONGEST_RUN_MS
  const { statements } = database.usage
  const mayContinue = (): boolean =>
    Date.now() < until && database.usage.statements - statements < MOST_STATEMENTS
  const done = { days: 0, parts: 0, reports: 0, bytes: 0, failure: null as string | null }
  const last = lastDayBefore(now - SETTLED_MS)
  try {
    const pending = await readPending(recordReader(history.bucket))
    const files = wholeFiles(await listFiles(history.bucket, 'reports/date='), pending)
    await unlessFull(database.batch([lackUnknownDays([...new Set(files.map(({ day }) => day))])]))
    for (const day of await readUnarchivedDays(database, last, MOST_DAYS)) {
      const run = new DayRun(database, history, pending, day, mayContinue, ({ reports, bytes }) => {
        done.parts++
        done.reports += reports
        done.bytes += bytes
      })
      if (!(await archiveUnlessDamaged(run, done))) break
    }
  } catch (error) {
    done.failure = (error as Error).message
    log('error', { history: 'not written', error: done.failure })
  }
  return done
}

/** A damaged file costs its own day only. @returns whether the run may go on with the next day */
async function archiveUnlessDamaged(
  run: DayRun,
  done: { days: number; failure: string | null },
): Promise<boolean> {
  try {
    const isArchived = await run.archive()
    done.days += Number(isArchived)
    return isArchived
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error
    done.failure = error.message
    log('error', { history: damagedSentence(error) })
    return true
  }
}

/** What is wrong with a file, what waits for it, and how it is mended. */
const damagedSentence = (error: DamagedPart): string =>
  `${error.message}. Its day is not archived until that is fixed; all other days are. ${remedyOfFile(error)}`

/** One pass over a day, or a part of it. */
class DayRun {
  private readonly day: number
  private parts: HistoryPart[] = []
  /** The files of the day's month, which hold the day where it is compacted. */
  private months: readonly MonthFileRow[] = []
  /** The least number that a part may have: compaction deletes the files of lesser ones. */
  private leastNumber = 0
  /** Parts that the pass has written in this run: what follows in it comes behind them. */
  private readonly own = new Set<number>()
  private readonly hashes = new Map<number, ReadonlySet<string>>()
  /** Parts of earlier runs that reports are left to: a new pass proves them. Null where the pass goes on with an earlier one. */
  private relied: Set<number> | null = new Set()
  private began: number
  private changes: number
  private since: number | null = null
  private place: Place = { certname: '', report: 0 }

  constructor(
    private readonly database: Database,
    private readonly history: History,
    private readonly pending: readonly Pending[],
    { day, changes }: UnarchivedDay,
    private readonly mayContinue: () => boolean,
    private readonly noteWritten: (part: WrittenPart) => void,
  ) {
    this.day = day
    this.changes = changes
    // The clock by which reports are received, which a trigger's time is not.
    this.began = Date.now()
  }

  /** @returns whether the day is archived; if not, a later run continues */
  async archive(): Promise<boolean> {
    const files = await this.listDay()
    this.months = await readMonth(this.history.bucket, monthOf(this.day), this.pending)
    await this.begin(files.filter(({ table }) => table === 'reports'))
    if (!(await this.writeParts())) return false
    for (const part of this.relied ?? []) await readWholePart(this.history.bucket, this.day, part)
    await this.deleteOrphans(files)
    const isCommitted = await this.commit()
    await this.note(isCommitted ? completeDay(this.day, this.began) : forgetDay(this.day))
    return isCommitted
  }

  private async listDay(): Promise<HistoryFile[]> {
    const { bucket } = this.history
    const files: HistoryFile[] = []
    for (const table of HISTORY_TABLE_NAMES) {
      files.push(...(await listFiles(bucket, dayPrefix(table, this.day))))
    }
    for (const { compaction } of this.pending)
      for (const { day, part } of compaction.files.reports)
        if (day === this.day) this.leastNumber = Math.max(this.leastNumber, part + 1)
    return wholeFiles(files, this.pending)
  }

  /** Compares the database with the bucket, and decides where to go on. */
  private async begin(files: readonly HistoryFile[]): Promise<void> {
    const { progress, parts } = await readDayProgress(this.database, this.day)
    const stored = new Set(files.map(({ part }) => part))
    const known = new Set(parts.map(({ part }) => part))
    this.parts = parts.filter(({ part }) => stored.has(part))
    const gone = parts.filter(({ part }) => !stored.has(part)).map(({ part }) => part)
    const found = files.filter(({ part }) => !known.has(part))
    for (const { part, bytes } of found) {
      const summary = await readSummary(this.history.bucket, this.day, part)
      this.parts.push({ part, bytes, ...summary })
    }
    if (gone.length > 0 || found.length > 0) {
      // The database is of another past, or was interrupted: everything is looked at again.
      await this.note(
        forgetParts(this.day, gone),
        ...this.parts.map((part) => writePart(this.day, part, this.began)),
      )
      return
    }
    if (progress === null) return
    this.relied = null
    const { began, changes, since, certname, report, complete } = progress
    if (began !== null && changes !== null) {
      this.began = began
      this.changes = changes
      this.since = since
      this.place = { certname, report }
    } else if (complete !== null) {
      this.since = complete - OVERLAP_MS
    }
  }

  /** @returns whether all parts of the pass are written */
  private async writeParts(): Promise<boolean> {
    const selection: Selection = { day: this.day, since: this.since }
    for (let isLast = false; !isLast;) {
      const part = await PartWriter.begin(this.history.tables)
      let place = this.place
      while (!isLast && !part.isFull && this.mayContinue()) {
        const page = await listReports(this.database, selection, place)
        isLast = page.isLast
        for (const run of readableRuns(await this.missing(page.reports))) {
          if (part.isFull) {
            isLast = false
            break
          }
          await part.add(await readReports(this.database, run))
          place = placeOf(run.at(-1)!)
        }
        if (!part.isFull && page.reports.length > 0) place = placeOf(page.reports.at(-1)!)
      }
      this.place = place
      if (!part.isEmpty) await this.putPart(part)
      if (!isLast && !this.mayContinue()) return false
    }
    return true
  }

  /** The reports that no part holds. */
  private async missing(reports: readonly ListedReport[]): Promise<ListedReport[]> {
    const [first, last] = [reports[0]?.certname ?? '', reports.at(-1)?.certname ?? '']
    const overlapping = this.parts.filter(
      (part) => !this.own.has(part.part) && part.first <= last && part.last >= first,
    )
    let missing = [...reports]
    for (const { part } of overlapping) {
      let hashes = this.hashes.get(part)
      if (hashes === undefined) {
        hashes = new Set(await readHashes(this.history.bucket, this.day, part))
        this.hashes.set(part, hashes)
      }
      const left = missing.filter(({ hash }) => !hashes.has(hash))
      if (left.length < missing.length) this.relied?.add(part)
      missing = left
    }
    for (const part of this.hashes.keys()) {
      if (!overlapping.some((one) => one.part === part)) this.hashes.delete(part)
    }
    return this.months.length === 0 ? missing : this.missingInMonths(missing)
  }

  /** The reports that no file of the month holds either. */
  private async missingInMonths(reports: readonly ListedReport[]): Promise<ListedReport[]> {
    let missing = [...reports]
    for (const { month, part, first, last } of this.months) {
      const wanted = missing.filter(({ certname }) => first <= certname && certname <= last)
      if (wanted.length === 0) continue
      const path = monthPath('reports', month, part)
      const held = await heldHashes(
        this.history.bucket,
        path,
        wanted.map(({ hash }) => hash),
      )
      missing = missing.filter(({ hash }) => !held.has(hash))
    }
    return missing
  }

  private async putPart(part: PartWriter): Promise<void> {
    const number = Math.max(this.leastNumber, ...this.parts.map(({ part }) => part + 1))
    const written = await part.put(this.history.bucket, this.day, number)
    this.parts.push(written)
    this.own.add(number)
    this.noteWritten(written)
    const { began, changes, since } = this
    await this.note(
      writePart(this.day, written, this.began),
      writeProgressOfDay(this.day, { began, changes, since, ...this.place }),
    )
  }

  /** Files that a run put before it was interrupted, and whose part was never committed. */
  private async deleteOrphans(files: readonly HistoryFile[]): Promise<void> {
    const committed = new Set(this.parts.map(({ part }) => part))
    const paths = files
      .filter(({ part }) => !committed.has(part))
      .map(({ table, part }) => filePath(table, this.day, part))
    if (paths.length > 0) await this.history.bucket.delete(paths)
  }

  /** @returns false where the day changed meanwhile, or has more reports than the parts: the next pass looks at all of it */
  private async commit(): Promise<boolean> {
    const { day, changes } = this
    const inMonths = this.months.reduce((sum, { month, days }) => sum + (days[day - month] ?? 0), 0)
    const reports = this.parts.reduce((sum, part) => sum + part.reports, inMonths)
    const [days] = await this.database.batch([markArchived({ day, changes }, reports)])
    return days.length > 0
  }

  private note(...statements: Statement[]): Promise<void> {
    return unlessFull(this.database.batch(statements))
  }
}

/** The files of a month's reports. */
async function readMonth(
  bucket: HistoryBucket,
  month: number,
  pending: readonly Pending[],
): Promise<readonly MonthFileRow[]> {
  const files = wholeFiles(await listFiles(bucket, monthPrefix('reports', month)), pending)
  if (files.length === 0) return []
  const rows = await Promise.all(files.map((file) => describeMonthFile(bucket, file)))
  return rows.filter((row) => row !== null)
}

const placeOf = ({ certname, key }: ListedReport): Place => ({ certname, report: key })
