/** How far back reports go, which is all that can be said of one that is gone: it leaves nothing behind. */

import { oldestStatement } from './data-version-sql.ts'
import type { BatchRead } from '../store/batch-read.ts'
import { momentOrNull } from './key-time.ts'

/** The producer timestamp of the oldest report; null where there is none. For those who may see all. */
export const askOldest = (): BatchRead<string | null> => ({
  statements: [oldestStatement()],
  read: ([rows]) => momentOrNull(rows![0]![0]),
})
