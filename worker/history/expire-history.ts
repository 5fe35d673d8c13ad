/**
 * Deletes days of the history that are older than HISTORY_TTL, and months once all their days are. Of each, the files of
 * `reports` are deleted last: until then a run that was interrupted is repeated. Only the holder of housekeeping's lease does it.
 */

import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { dayNumber, hourNumber } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { forgetDay, forgetPartsOf, readExpiredDays } from '../store/history.ts'
import { forgetMonth, readExpiredMonths } from '../store/history-months.ts'
import {
  dayPrefix,
  deleteFiles,
  firstFiles,
  listFiles,
  monthAfter,
  monthPrefix,
  pathOf,
  type HistoryBucket,
} from './bucket.ts'

/** Days that one run deletes: five requests each, and more where a day has many files. */
const MOST_EXPIRED_DAYS = 20
/** What a run deleted from the history. */
export interface ExpiredHistory {
  readonly days: number
  readonly files: number
}

/**
 * A day stays as long as the database has a report of it, or the day waits for the archive.
 *
 * @param ttl age in ms at which a whole day is deleted
 */
export async function expireHistory(
  database: Database,
  bucket: HistoryBucket,
  ttl: number,
  now: number,
): Promise<ExpiredHistory> {
  const done = { days: 0, files: 0 }
  const last = dayNumber(hourNumber(now - ttl)) - 1
  // A database that was restored, or is new beside an older history, doesn't know all days.
  const found = (await firstFiles(bucket, 'reports/date=')).map(({ day }) => day)
  const days = await readExpiredDays(database, last, found, MOST_EXPIRED_DAYS)
  for (const day of days) {
    done.files += await deleteBelow(bucket, (table) => dayPrefix(table, day))
    await database.batch([forgetPartsOf(day), forgetDay(day)])
    done.days++
  }
  for (const month of await readExpiredMonths(database, last + 1)) {
    done.files += await deleteBelow(bucket, (table) => monthPrefix(table, month))
    await database.batch([forgetMonth(month)])
    done.days += monthAfter(month) - month
  }
  return done
}

/** @returns how many files there were */
async function deleteBelow(
  bucket: HistoryBucket,
  prefixOf: (table: HistoryTable) => string,
): Promise<number> {
  let deleted = 0
  for (const table of HISTORY_TABLE_NAMES.toReversed()) {
    const paths = (await listFiles(bucket, prefixOf(table))).map(pathOf)
    await deleteFiles(bucket, paths)
    deleted += paths.length
  }
  return deleted
}
