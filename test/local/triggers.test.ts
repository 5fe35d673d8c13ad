/** What `npm start` does from time to time, and what it says where that fails. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/cron.ts'
import { keepTime } from '../../worker/local/triggers.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000
const DAY = 1440 * MINUTE

it.each([
  [30 * DAY - 1, true],
  [30 * DAY, true],
  [30 * DAY + 1, false],
  [-30 * DAY, true],
  [-30 * DAY - 1, false],
])('a clock that jumps by %i ms: triggers run: %s', async (jump, runs) => {
  const crons: (string | undefined)[] = []
  const messages: string[] = []
  const tick = (cron?: string): Promise<void> => Promise.resolve(void crons.push(cron))
  keepTime(tick, (text) => messages.push(text))
  crons.length = 0
  const right = Date.now()
  vi.setSystemTime(right + jump)
  await vi.advanceTimersByTimeAsync(20 * MINUTE)
  expect(crons.length > 0).toBe(runs)
  expect(messages).toEqual(
    runs
      ? []
      : [
          expect.stringMatching(
            jump > 0 ? /jumped ahead by 30 days\. Housekeeping/ : /jumped back by 30 days/,
          ),
        ],
  )
  vi.setSystemTime(right + 20 * MINUTE)
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(crons.filter((cron) => cron === HOUSEKEEPING_CRON).length).toBeGreaterThan(0)
})

it.each([
  [30, true],
  [31, false],
  [-31, false],
])('a service that last ran %i days ago by its clock: triggers run: %s', async (days, runs) => {
  const crons: (string | undefined)[] = []
  const messages: string[] = []
  const tick = (cron?: string): Promise<void> => Promise.resolve(void crons.push(cron))
  const lastSeen = Date.now() - days * DAY
  keepTime(tick, (text) => messages.push(text), lastSeen)
  await vi.advanceTimersByTimeAsync(20 * MINUTE)
  expect(crons.length > 0).toBe(runs)
  expect(messages).toEqual(
    runs
      ? []
      : [expect.stringMatching(/is 31 days (after|before) the time when the service last ran\. H/)],
  )
  vi.setSystemTime(lastSeen + 20 * MINUTE)
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(crons).toContain(HOUSEKEEPING_CRON)
})

it('runs housekeeping at once and every ten minutes, and notifications every minute', async () => {
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
  [NOTIFY_CRON, 'looking for what hooks report failed: Error: no such thing'],
])('names the trigger %j when it fails, and runs it again', async (bad, sentence) => {
  const messages: string[] = []
  const tick = (cron?: string): Promise<void> =>
    cron === bad ? Promise.reject(new Error('no such thing')) : Promise.resolve()
  keepTime(tick, (text) => messages.push(text))
  await vi.advanceTimersByTimeAsync(20 * MINUTE)
  expect(new Set(messages)).toEqual(new Set([sentence]))
  expect(messages.length).toBeGreaterThan(1)
})
