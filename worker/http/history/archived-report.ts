/** Of which node and time a report is that the history has and the database no more. */

import {
  findReport,
  MOST_PARTS_SEARCHED,
  readReportHint,
  type ReportHint,
} from '../../history/find-report.ts'
import { DAY } from '../../lib/time.ts'
import type { Database } from '../../store/database.ts'
import { readFilesBefore } from '../../store/history-places.ts'
import type { Call } from '../context.ts'

export type { ReportHint }

/** By what the report is found; null where none of the parts that were searched has it. */
export interface HistorySearch {
  readonly hint: ReportHint | null
  readonly searched: number
  /** Paths of the parts that could not be read. */
  readonly unreadable: readonly string[]
}

const dayOf = (time: number): number => Math.floor(time / DAY)

/**
 * Searches the parts that a deleted report is likely in.
 *
 * @param oldest when the oldest report of the database is from, in ms
 * @returns null where there is no history
 */
export async function archivedReport(
  database: Database,
  history: Call['var']['history'],
  oldest: number | null,
  hash: string,
): Promise<HistorySearch | null> {
  if (history === null) return null
  const parts = await readFilesBefore(database, dayOf(oldest ?? Date.now()), MOST_PARTS_SEARCHED)
  const { found, ...search } = await findReport(history.bucket, parts, hash)
  return { ...search, hint: found && (await readReportHint(history.bucket, found, hash)) }
}
