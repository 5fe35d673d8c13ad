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
import { donePath, isTaken, recordPath, type Compaction } from './compaction.ts'
import type { History } from './history.ts'
import { DamagedPart, openFile, remedyOfFile } from './open-file.ts'
import { tablesBeside } from './whole-part.ts'

/** A month is compacted when retention has been through with it for so long, and late reports are rare. */
const SETTLED_MS = 7 * DAY
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

/** The age in ms from its end on at which retention reads no file of a month any more, but for single reports. */
const ageOf = (settings: Settings): number =>
  SETTLED_MS +
  Math.max(
    ...[settings.REPORT_TTL, settings.RESOURCE_EVENTS_TTL, settings.LOGS_AND_METRICS_TTL],
    ...settings.REPORT_TTL_RULES.map(({ ttl }) => ttl),
  )

/** Records the next month to compact, of those that were not begun. @returns null where there is none */
export async function beginCompaction(
  database: Database,
  { bucket, tables }: History,
  settings: Settings,
  now: number,
  { months, done }: { months: ReadonlySet<number>; done: { failure: string | null } },
): Promise<Compaction | null> {
  const { HISTORY_TTL: ttl } = settings
  if (ttl > 0 && ttl < LEAST_HISTORY_TTL_MS) return null
  const end = monthOf(dayOfTime(now - ageOf(settings)))
  // Days that HISTORY_TTL deletes soon are left as they are.
  const first = ttl === 0 ? -Infinity : dayOfTime(now - ttl) + DAYS_OF_MONTH
  for (const month of await monthsWithDays(database, bucket, end)) {
    if (month < first || months.has(month)) continue
    if (await anyDayWaits(database, month, monthAfter(month))) continue
    const compaction = await compactionOf(bucket, month)
    if (compaction === null) continue
    try {
      await requireListed(bucket, compaction, tables)
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

/** A file that is missing now would be missing in the month for good. @throws DamagedPart */
async function requireListed(
  bucket: HistoryBucket,
  compaction: Compaction,
  tables: readonly HistoryTable[],
): Promise<void> {
  for (const { day, part } of compaction.files.reports) {
    const reports = await openFile(bucket, filePath('reports', day, part))
    for (const [table] of await tablesBeside(reports, tables))
      if (!isTaken(compaction, { table, day, part }))
        throw new DamagedPart(filePath(table, day, part), '', 'missing')
  }
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
