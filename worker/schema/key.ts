/** The key of a report is its producer timestamp: milliseconds × 1024 + a number for reports of the same millisecond. */

/** Number of reports that fit into one millisecond; the next one takes the next millisecond. */
export const SLOTS = 1024
/** Keys stay within ±2^53, which JavaScript holds exactly, with room for reports that move on: the years 1691 to 2248. */
export const FURTHEST_MS = 8_790_000_000_000

/** Most milliseconds that a report moves on; in practice so many are never full. */
export const FURTHEST_MOVE_MS = 1000

/** The millisecond of the key of a report with this producer timestamp. */
export const keyMillisecond = (producerTimestamp: number): number =>
  Math.max(-FURTHEST_MS, Math.min(FURTHEST_MS, producerTimestamp))
