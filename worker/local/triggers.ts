/** What the cron triggers do of a deployed Worker, done from time to time by `npm start`. */

import { HOUSEKEEPING_CRON } from '../housekeeping/housekeeping.ts'
import { MINUTE } from '../lib/time.ts'
import { NOTIFY_CRON } from '../notify/cron.ts'
import type { Service } from './service.ts'

interface Trigger {
  /** What it does, as a failure is told. */
  readonly what: string
  readonly cron: string
  readonly everyMilliseconds: number
  /** Whether it does so at the start, too. */
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
 * Goes on as long as the process does.
 *
 * @param failed told in a sentence what failed, and why; it is tried again in its time
 */
export function keepTime(tick: Service['tick'], failed: (sentence: string) => void): void {
  for (const { what, cron, everyMilliseconds, atOnce } of TRIGGERS) {
    const work = (): void =>
      void tick(cron).catch((error: unknown) => failed(`${what} failed: ${String(error)}`))
    if (atOnce) work()
    setInterval(work, everyMilliseconds).unref()
  }
}
