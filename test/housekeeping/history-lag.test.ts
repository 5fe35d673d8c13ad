/** When operators are told that the history falls behind: twelve hours after a day should have been archived. */

import { expect, it } from 'vitest'
import { historyWarning, lagOf } from '../../worker/history/lag.ts'

const HOUR = 3_600_000
/** Midnight on which the first day of 1970 has been over for a day. */
const DUE = 48 * HOUR

it.each<[late: number, required: boolean, warning: string | null]>([
  [12 * HOUR - 1, true, null],
  [
    12 * HOUR,
    true,
    'The history lacks 1970-01-01, for 12 h. Retention waits, and the database grows. The log of the service says why.',
  ],
  [
    50 * HOUR,
    false,
    'The history lacks 1970-01-01, for 50 h. Retention does not wait. The log of the service says why.',
  ],
])('%i ms after it was due', (late, required, warning) => {
  expect(historyWarning(0, required, DUE + late)).toBe(warning)
})

it('no warning without a day that it lacks', () => {
  expect([historyWarning(null, true, 100 * DUE), lagOf(null, 100 * DUE)]).toEqual([null, 0])
})
