/**
 * Deletes days of the history that are older than HISTORY_TTL. Of a day, the files of `reports` are deleted last: until then a run
 * that was interrupted is repeated. Only the holder of housekeeping's lease does it.
 */

import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { dayNumber, hourNumber } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { forgetDay, forgetPartsOf, readExpiredDays } from '../store/history.ts'
import { dayPrefix, filePath, firstFiles, listFiles, type HistoryBucket } from './bucket.ts'

/** Days that one run deletes: five requests each, and more where a day has many files. */
const MOST_EXPIRED_DAYS = 20
/** Files that one request deletes. Source: Cloudflare's documentation of R2. */
const MOST_DELETED_FILES = 1000

/** What a run deleted from the history. */
export interface ExpiredHistory {
  readonly days: number
  readonly files: number
}

/**
 * A day stays as long as the database has a report of it, or the day waits for the archive.
 *
 * @param ttl age in ms at which a whole day is deleted; 0 for never
 */
export async function expireHistory(
  database: Database,
  bucket: HistoryBucket,
  ttl: number,
  now: number,
): Promise<ExpiredHistory> {
  const done = { days: 0, files: 0 }
  if (ttl === 0) return done
  const last = dayNumber(hourNumber(now - ttl)) - 1
  // A database that was restored, or is new beside an older history, doesn't know all days.
  const found = (await firstFiles(bucket, 'reports/')).map(({ day }) => day)
  const days = await readExpiredDays(database, last, found, MOST_EXPIRED_DAYS)
  for (const day of days) {
    for (const table of HISTORY_TABLE_NAMES.toReversed())
      done.files += await deleteFiles(bucket, table, day)
    await database.batch([forgetPartsOf(day), forgetDay(day)])
    done.days++
  }
  return done
}

async function deleteFiles(
  bucket: HistoryBucket,
  table: HistoryTable,
  day: number,
): Promise<number> {
  const files = await listFiles(bucket, dayPrefix(table, day))
  const paths = files.map(({ part }) => filePath(table, day, part))
  for (let from = 0; from < paths.length; from += MOST_DELETED_FILES)
    await bucket.delete(paths.slice(from, from + MOST_DELETED_FILES))
  return paths.length
}
