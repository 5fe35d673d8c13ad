/** Where the history has a report that the database does not have any more. */

import { dateOf, filePath } from '../../history/bucket.ts'
import { findReport, MOST_PARTS_SEARCHED } from '../../history/find-report.ts'
import { log } from '../../lib/log.ts'
import { DAY } from '../../lib/time.ts'
import type { Database } from '../../store/database.ts'
import { readPartsBefore } from '../../store/history.ts'
import type { Call } from '../context.ts'

/** Dates as `2026-03-02`. */
export interface ArchivedReport {
  readonly date: string
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
  const parts = await readPartsBefore(database, dayOf(oldest ?? Date.now()), MOST_PARTS_SEARCHED)
  try {
    const { found, searched } = await findReport(history.bucket, parts, hash)
    if (found === null) return { report: null, searched }
    const { day, part, written } = found
    const report = {
      date: dateOf(day),
      archived: dateOf(dayOf(written)),
      path: filePath('reports', day, part),
    }
    return { report, searched }
  } catch (error) {
    log('warn', { history: 'not read', error: (error as Error).message })
    return null
  }
}
