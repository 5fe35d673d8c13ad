/** What all axes share: round times with their names, and ends of a scale that are easy to halve. */

import { DAY, HOUR, MINUTE } from '../../lib/time.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov`, in UTC. @param time in ms */
export function dayLabel(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

const ENDS = [2, 4, 6, 8, 10, 16]

/** The least round number from `most` on whose half is a whole number: the end of a scale of counts. */
export function roundEnd(most: number): number {
  let unit = 1
  while (most > unit * 16) unit *= 10
  return unit * (ENDS.find((end) => end * unit >= most) ?? 20)
}

/** `05:18`, or the day at midnight. */
export const clockOf = (time: number, always: boolean): string =>
  !always && time % DAY === 0 ? dayLabel(time) : new Date(time).toISOString().slice(11, 16)

/** Distances of ticks. */
const STEPS = [
  ...[5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 3, 7, 14, 30, 60].map((days) => days * DAY),
]

/** Round times, at the least distance that gives no more of them. @param least the least distance */
export function ticks(from: number, to: number, most: number, least = 0): number[] {
  const step = STEPS.find((length) => length >= least && (to - from) / length <= most) ?? 365 * DAY
  const first = Math.ceil(from / step) * step
  return Array.from(
    { length: Math.floor((to - first) / step) + 1 },
    (_, index) => first + index * step,
  )
}
