/** Whether the history falls behind. */

import { DAY, HOUR } from '../lib/time.ts'
import { dayStart } from '../sql/encoding.ts'

/** A day is archived when it has been over for so long that hardly any report of it is under way. */
export const SETTLED_MS = DAY

/** Housekeeping runs hourly, and takes more than one run for a day of many reports. */
const LATE_MS = 12 * HOUR

/**
 * How long ago the first day that the history lacks should have been archived, in ms; 0 where none is due.
 *
 * @param day the first that it lacks, null for none
 */
export const lagOf = (day: number | null, now: number): number =>
  day === null ? 0 : Math.max(0, now - (dayStart(day) + DAY + SETTLED_MS))

/** What operators are told; null unless the history is behind. */
export function historyWarning(day: number | null, required: boolean, now: number): string | null {
  const lag = lagOf(day, now)
  if (day === null || lag < LATE_MS) return null
  const date = new Date(dayStart(day)).toISOString().slice(0, 10)
  const hours = Math.round(lag / HOUR)
  const then = required ? 'Retention waits, and the database grows.' : 'Retention does not wait.'
  return `The history lacks ${date}, for ${hours} h. ${then} The log of the service says why.`
}
