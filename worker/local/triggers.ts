/** Runs the work of a deployed Worker's cron triggers from `npm start`. */

import { HOUSEKEEPING_CRON } from '../housekeeping/cron.ts'
import { MINUTE } from '../lib/time.ts'
import { NOTIFY_CRON } from '../notify/cron.ts'
import type { Service } from './service.ts'

interface Trigger {
  /** Name of the work in error messages. */
  readonly what: string
  readonly cron: string
  readonly everyMilliseconds: number
  /** Whether it also runs at the start. */
  readonly atOnce: boolean
}

const TRIGGERS: readonly Trigger[] = [
  {
    what: 'housekeeping',
    cron: HOUSEKEEPING_CRON,
    everyMilliseconds: 10 * MINUTE,
    atOnce: true,
  },
  {
    what: 'looking for what hooks tell of',
    cron: NOTIFY_CRON,
    everyMilliseconds: MINUTE,
    atOnce: false,
  },
]

/**
 * Runs the triggers until the process ends.
 *
 * @param failed called with a sentence about each failure; the next run tries again
 */
export function keepTime(tick: Service['tick'], failed: (sentence: string) => void): void {
  for (const { what, cron, everyMilliseconds, atOnce } of TRIGGERS) {
    const work = (): void =>
      void tick(cron).catch((error: unknown) => failed(`${what} failed: ${String(error)}`))
    if (atOnce) work()
    setInterval(work, everyMilliseconds).unref()
  }
}
