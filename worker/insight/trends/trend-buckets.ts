/** Divides the span of a trend into at most 48 whole buckets: hours, days, pairs of days, weeks or four weeks. */

import { DAY, HOUR } from '../../lib/time.ts'
import type { View } from '../view.ts'

const MOST_BUCKETS = 48
/** Two days of hours, so that a day is compared with the one before. */
const LENGTHS = [HOUR, DAY, 2 * DAY, 7 * DAY, 28 * DAY] as const
const LONGEST = LENGTHS.at(-1)!
/** Without counts of hours each run is read, so a trend goes back no further. */
const LONGEST_UNCOUNTED_MS = 31 * DAY

export interface TrendSpan {
  /** The view from the start of the first bucket on, until the end of a day or now. A longer span is cut at its begin. */
  readonly view: View
  /** Length of a bucket in ms. */
  readonly length: number
  /** The buckets by their number since 1970. */
  readonly numbers: readonly number[]
}

export function trendSpanOf(view: View): TrendSpan {
  const until = Math.min(view.until, view.now + 1)
  const longest = view.ofHours ? MOST_BUCKETS * LONGEST : LONGEST_UNCOUNTED_MS
  const since = Math.max(view.since, until - longest)
  const numbersOf = (length: number): number[] => {
    const first = Math.floor(since / length)
    const count = Math.min(Math.max(1, Math.ceil(until / length) - first), MOST_BUCKETS + 1)
    return Array.from({ length: count }, (_, index) => first + index)
  }
  const length = LENGTHS.find((one) => numbersOf(one).length <= MOST_BUCKETS) ?? LONGEST
  const numbers = numbersOf(length).slice(-MOST_BUCKETS)
  // Of a part of a day, deleted runs are not known.
  const whole = length === HOUR ? until : Math.min(Math.ceil(until / DAY) * DAY, view.now + 1)
  return { view: { ...view, since: numbers[0]! * length, until: whole }, length, numbers }
}
