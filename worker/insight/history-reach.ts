/** How far back the database reaches, and the history behind it. */

import { batchRead, NO_READ, type BatchRead } from '../store/batch-read.ts'
import { logBytesStatement, reachOf, reachStatement, type HistoryReach } from '../store/history.ts'
import type { View } from './view.ts'

/** Null where there is no history, and for readers whose row policy hides reports: it tells of all. */
export const historyReachRead = ({ restricted }: View): BatchRead<HistoryReach | null> =>
  restricted ? NO_READ : batchRead([reachStatement()], ([rows]) => reachOf(rows))

/** The same, with the bytes that a search of its logs reads at most. */
export const historyLogsRead = ({ restricted }: View): BatchRead<HistoryReach | null> =>
  restricted
    ? NO_READ
    : batchRead([reachStatement(), logBytesStatement()], ([rows, [logs]]) => {
        const reach = reachOf(rows)
        return reach && { ...reach, ...logs }
      })
