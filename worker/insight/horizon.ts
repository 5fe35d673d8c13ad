/** The horizon of retention: the time of the oldest report that is still stored. Deleted reports leave no other trace. */

import { sql } from 'drizzle-orm'
import type { Timestamp } from '../lib/time.ts'
import { keyTimestamp, nullable, select } from '../sql/columns.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'

const HORIZON = { oldest: nullable(keyTimestamp(sql`min(reports.id)`)) }

/** Producer timestamp of the oldest report, of all nodes; null without reports. One row is read. For unrestricted readers only. */
export const horizonRead = (): BatchRead<Timestamp | null> =>
  batchRead([select(HORIZON, sql`from reports`)], ([[row]]) => row!.oldest)
