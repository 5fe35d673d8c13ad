/** The key of a report is its producer timestamp: milliseconds × 1024 + a number for reports of the same millisecond. */

/** Reports that share a millisecond before one has to move on to the next. */
export const SLOTS = 1024
/** Keys stay within ±2^53, which JavaScript holds exactly, with room to move on: the years 1691 to 2248. */
export const FURTHEST_MS = 8_790_000_000_000

/** A report moves on by as many milliseconds as were full, which is never so many. */
export const FURTHEST_MOVE_MS = 1000

/** The millisecond whose slots a report of this producer timestamp is filed under. */
export const keyMillisecond = (producerTimestamp: number): number =>
  Math.max(-FURTHEST_MS, Math.min(FURTHEST_MS, producerTimestamp))
