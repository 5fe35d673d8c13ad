/** At which sizes a database counts as almost full, as full, and as relieved. */

import { expect, it } from 'vitest'
import { fullnessWarning, isFull, relievedBytes } from '../../worker/schema/capacity.ts'

const LIMIT = { MAX_DATABASE_BYTES: 10e9 }

it.each<[gigabytes: number, isWarned: boolean, isFull: boolean]>([
  [0, false, false],
  [8.999, false, false],
  [9, true, false],
  [9.799, true, false],
  [9.8, true, true],
])('%d GB of 10', (gigabytes, isWarned, full) => {
  const bytes = gigabytes * 1e9
  expect([fullnessWarning(bytes, LIMIT) !== null, isFull(bytes, LIMIT)]).toEqual([isWarned, full])
})

it('is warned of by its size', () => {
  expect(fullnessWarning(9.876e9, LIMIT)).toContain('The database has 9.88 GB of at most 10.00 GB.')
})

it('is brought to 95 % of its limit', () => {
  expect(relievedBytes(LIMIT)).toBe(9.5e9)
})

it('without a limit is never full', () => {
  const limit = { MAX_DATABASE_BYTES: 0 }
  expect([fullnessWarning(1e15, limit), isFull(1e15, limit)]).toEqual([null, false])
})
