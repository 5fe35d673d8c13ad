/** From when on the numbers that are kept of deleted runs know every one of them. */

import { sql } from 'drizzle-orm'
import { DAY } from '../lib/time.ts'
import { literal } from '../sql/encoding.ts'

/** SELECT of the time, in ms; null for all that were ever deleted. */
export const KEPT_SINCE = sql`select day * ${literal(DAY)} from kept_since`
