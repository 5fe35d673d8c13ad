/** What `npm start` does from time to time, and what it says where that fails. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/housekeeping.ts'
import { keepTime } from '../../worker/local/triggers.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

it('keeps house at once and every ten minutes, and looks every minute for what hooks tell of', async () => {
  const crons: (string | undefined)[] = []
  keepTime(
    (cron) => {
      crons.push(cron)
      return Promise.resolve()
    },
    () => undefined,
  )
  expect(crons).toEqual([HOUSEKEEPING_CRON])
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(crons.filter((cron) => cron === HOUSEKEEPING_CRON)).toHaveLength(2)
  expect(crons.filter((cron) => cron === NOTIFY_CRON)).toHaveLength(10)
})

it.each([
  [HOUSEKEEPING_CRON, 'housekeeping failed: Error: no such thing'],
  [NOTIFY_CRON, 'looking for what hooks tell of failed: Error: no such thing'],
])('says what failed where %j does, and goes on', async (bad, sentence) => {
  const said: string[] = []
  const tick = (cron?: string): Promise<void> =>
    cron === bad ? Promise.reject(new Error('no such thing')) : Promise.resolve()
  keepTime(tick, (text) => said.push(text))
  await vi.advanceTimersByTimeAsync(20 * MINUTE)
  expect(new Set(said)).toEqual(new Set([sentence]))
  expect(said.length).toBeGreaterThan(1)
})
