/** How far back the database reaches, and the history behind it. */

import { batchRead, NO_READ, type BatchRead } from '../store/batch-read.ts'
import { reachOf, reachStatement, type HistoryReach } from '../store/history.ts'
import type { View } from './view.ts'

/** Null where there is no history, and for readers whose row policy hides reports: it tells of all. */
export const historyReachRead = ({ restricted }: View): BatchRead<HistoryReach | null> =>
  restricted ? NO_READ : batchRead([reachStatement()], ([rows]) => reachOf(rows))
