/** Begins the compaction of a month: records the files of its days, before the first file of the month is written. */

import { log } from '../lib/log.ts'
import { DAY } from '../lib/time.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { anyDayWaits, readDaysWithParts, readKnownMonths } from '../store/history-months.ts'
import {
  dayOfTime,
  dayPrefix,
  filePath,
  firstFiles,
  listFiles,
  monthAfter,
  monthOf,
  monthPrefix,
  type HistoryBucket,
  type HistoryFile,
} from './bucket.ts'
import { donePath, isTaken, recordPath, type CompactedFile, type Compaction } from './compaction.ts'
import { MOST_BYTES_OF_FILE } from './copy-table.ts'
import type { History } from './history.ts'
import { DamagedPart, openFile, remedyOfFile } from './open-file.ts'
import { tablesBeside } from './whole-part.ts'

/** A day is compacted when retention has been through with it for so long, and late reports are rare. */
const SETTLED_MS = DAY
/**
 * Days of a month that wait until they are compacted, unless the month is over. A page reads each of them by a request, and each
 * compaction merges the month's reports again.
 */
const DAYS_AT_ONCE = 3
/** A shorter HISTORY_TTL deletes days before they would be compacted, or soon after. */
const LEAST_HISTORY_TTL_MS = 90 * DAY
const DAYS_OF_MONTH = 31
/** Days of a compacted month that late reports have come for, until it is compacted again. */
const MOST_LATE_PARTS = 8
export const IF_NEW = { onlyIf: { etagDoesNotMatch: '*' } }

/** @throws anything but a damaged file */
export function noteDamaged(error: unknown, done: { failure: string | null }): void {
  if (!(error instanceof DamagedPart)) throw error
  done.failure = error.message
  log('error', {
    history: `${error.message}. Its month is not compacted until that is fixed; all other months are. ${remedyOfFile(error)}`,
  })
}

/** The age in ms from its end on at which retention reads no file of a day any more, but for single reports. */
const ageOf = (settings: Settings): number =>
  SETTLED_MS +
  Math.max(
    ...[settings.REPORT_TTL, settings.RESOURCE_EVENTS_TTL, settings.LOGS_AND_METRICS_TTL],
    ...settings.REPORT_TTL_RULES.map(({ ttl }) => ttl),
  )

/** Records the next month to compact, of those that were not begun. @returns null where there is none */
export async function beginCompaction(
  database: Database,
  { bucket }: History,
  settings: Settings,
  now: number,
  { months, done }: { months: ReadonlySet<number>; done: { failure: string | null } },
): Promise<Compaction | null> {
  const { HISTORY_TTL: ttl } = settings
  if (ttl > 0 && ttl < LEAST_HISTORY_TTL_MS) return null
  const end = dayOfTime(now - ageOf(settings))
  // Days that HISTORY_TTL deletes soon are left as they are.
  const first = ttl === 0 ? -Infinity : dayOfTime(now - ttl) + DAYS_OF_MONTH
  for (const month of await monthsWithDays(database, bucket, end)) {
    if (month < first || months.has(month)) continue
    const until = Math.min(monthAfter(month), end)
    if (await anyDayWaits(database, month, until)) continue
    const compaction = await compactionOf(bucket, month, until)
    if (compaction === null) continue
    try {
      await requireListed(bucket, compaction)
    } catch (error) {
      noteDamaged(error, done)
      continue
    }
    // Left by a run that ended between its last two steps.
    await bucket.delete([donePath(compaction)])
    const record = new TextEncoder().encode(JSON.stringify(compaction))
    // Another run may have been first: the next one goes on with its record.
    if ((await bucket.put(recordPath(compaction), record, IF_NEW)) === null) return null
    return compaction
  }
  return null
}

/** The months with enough files of days up to `end`, which is left out. */
async function monthsWithDays(
  database: Database,
  bucket: HistoryBucket,
  end: number,
): Promise<number[]> {
  const days = new Map<number, number>()
  // A database that was restored, or is new beside an older history, doesn't know all days.
  for (const { day } of await firstFiles(bucket, 'reports/date=')) if (day < end) days.set(day, 1)
  for (const { day, parts } of await readDaysWithParts(database, end)) days.set(day, parts)
  const lastDays = new Map<number, number>()
  for (const { month, last } of await readKnownMonths(database))
    lastDays.set(month, Math.max(last, lastDays.get(month) ?? 0))
  return [...Map.groupBy(days, ([day]) => monthOf(day))]
    .filter(([month, some]) => {
      const last = lastDays.get(month) ?? -Infinity
      const further = some.filter(([day]) => day > last).length
      const late = some.reduce((sum, [day, parts]) => sum + (day > last ? 0 : parts), 0)
      const least = monthAfter(month) <= end ? 1 : DAYS_AT_ONCE
      return further >= least || late > MOST_LATE_PARTS
    })
    .map(([month]) => month)
    .toSorted((one, other) => one - other)
}

/** A file that is missing now would be missing in the month for good. @throws DamagedPart */
async function requireListed(bucket: HistoryBucket, compaction: Compaction): Promise<void> {
  for (const { span, day, part } of compaction.files.reports) {
    if (span === 'month') continue
    const reports = await openFile(bucket, filePath('reports', day, part))
    for (const [table] of tablesBeside(reports))
      if (!isTaken(compaction, { table, span: 'day', day, part }))
        throw new DamagedPart(filePath(table, day, part), '', 'missing')
  }
}

/** @param until the day before which days are taken @returns null where the month has no files of such days */
async function compactionOf(
  bucket: HistoryBucket,
  month: number,
  until: number,
): Promise<Compaction | null> {
  const files = {} as Record<HistoryTable, CompactedFile[]>
  let from = 0
  for (const table of HISTORY_TABLE_NAMES) {
    const ofMonth = await listFiles(bucket, monthPrefix(table, month))
    const found = mergedOf(table, ofMonth)
    for (let day = month; day < until; day++)
      found.push(...(await listFiles(bucket, dayPrefix(table, day))))
    files[table] = found.map(({ span, day, part, bytes }) => ({ span, day, part, bytes }))
    from = Math.max(from, ...ofMonth.map(({ part }) => part + 1))
  }
  return files.reports.some(({ span }) => span === 'day') ? { month, from, files } : null
}

/** The month's files that are compacted with its days: all reports, so that a node is in one file, and a short last file of another table. */
function mergedOf(table: HistoryTable, files: readonly HistoryFile[]): HistoryFile[] {
  if (table === 'reports') return [...files]
  const last = files.toSorted((one, other) => one.part - other.part).at(-1)
  return last !== undefined && last.bytes < MOST_BYTES_OF_FILE / 2 ? [last] : []
}
