/** Whether the history is written, and into what. */

import type { HistoryTable } from '../schema/history-tables.ts'
import type { Settings } from '../schema/settings.ts'
import type { HistoryBucket } from './bucket.ts'

export interface History {
  readonly bucket: HistoryBucket
  /** Tables that are written beside `reports`. */
  readonly tables: readonly HistoryTable[]
  /** Whether retention may delete only what is archived. */
  readonly required: boolean
}

/** Queries of a request on Cloudflare's free plan, whose CPU does for some 50 reports. */
const FREE_PLAN_QUERIES = 50

/** The history that housekeeping writes; null where there is no bucket, or the platform or the operator does not allow it. */
export function historyOf(bucket: HistoryBucket | undefined, settings: Settings): History | null {
  const { HISTORY_MODE: mode, HISTORY_TABLES: tables, MAX_QUERIES: queries } = settings
  const isFreePlan = queries > 0 && queries <= FREE_PLAN_QUERIES
  if (bucket === undefined || mode === 'off' || isFreePlan) return null
  return { bucket, tables, required: mode === 'required' }
}

/** The history that must hold a report before it is deleted; null where none must. */
export const requiredOf = (history: History | null): History | null =>
  history?.required ? history : null
