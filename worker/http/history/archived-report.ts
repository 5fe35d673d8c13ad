/** Where the history has a report that the database does not have any more. */

import { dateOf } from '../../history/bucket.ts'
import { findReport, MOST_PARTS_SEARCHED, reportsPath } from '../../history/find-report.ts'
import { log } from '../../lib/log.ts'
import { DAY } from '../../lib/time.ts'
import type { Database } from '../../store/database.ts'
import { readFilesBefore } from '../../store/history-places.ts'
import type { Call } from '../context.ts'

/** When the file was written, as `2026-03-02`, and its path. */
export interface ArchivedReport {
  readonly archived: string
  readonly path: string
}

const dayOf = (time: number): number => Math.floor(time / DAY)

/**
 * Searches the parts that a deleted report is likely in.
 *
 * @param oldest when the oldest report of the database is from, in ms
 * @returns null where there is no history, or its files can't be read: no page depends on them
 */
export async function archivedReport(
  database: Database,
  history: Call['var']['history'],
  oldest: number | null,
  hash: string,
): Promise<{ readonly report: ArchivedReport | null; readonly searched: number } | null> {
  if (history === null) return null
  const parts = await readFilesBefore(database, dayOf(oldest ?? Date.now()), MOST_PARTS_SEARCHED)
  try {
    const { found, searched } = await findReport(history.bucket, parts, hash)
    if (found === null) return { report: null, searched }
    const report = { archived: dateOf(dayOf(found.written)), path: reportsPath(found) }
    return { report, searched }
  } catch (error) {
    log('warn', { history: 'not read', error: (error as Error).message })
    return null
  }
}
