/** Runs the work of a deployed Worker's cron triggers from `npm start`. */

import { HOUSEKEEPING_CRON } from '../housekeeping/cron.ts'
import { DAY, MINUTE } from '../lib/time.ts'
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
    what: 'looking for what hooks report',
    cron: NOTIFY_CRON,
    everyMilliseconds: MINUTE,
    atOnce: false,
  },
]

/** A clock that jumps further is taken for a wrong one. A machine that sleeps jumps, too. */
const LONGEST_JUMP_MS = 30 * DAY

/**
 * Runs the triggers until the process ends. They wait while the clock of the machine is wrong: retention would delete
 * reports by it, and nodes would be silent.
 *
 * @param failed called with a sentence about each failure; the next run tries again
 * @param lastSeen when the service last ran, in ms: a clock may jump while it is stopped
 */
export function keepTime(
  tick: Service['tick'],
  failed: (sentence: string) => void,
  lastSeen = Date.now(),
): void {
  const wasStopped = Math.abs(Date.now() - lastSeen) > LONGEST_JUMP_MS
  const jumped = jumpSince(wasStopped ? lastSeen : Date.now())
  let waits = false
  for (const { what, cron, everyMilliseconds, atOnce } of TRIGGERS) {
    const work = (): void => {
      const jump = jumped()
      const waited = waits
      waits = Math.abs(jump) > LONGEST_JUMP_MS
      if (waits && !waited) failed(sentenceAbout(jump, wasStopped))
      if (!waits)
        void tick(cron).catch((error: unknown) => failed(`${what} failed: ${String(error)}`))
    }
    if (atOnce) work()
    setInterval(work, everyMilliseconds).unref()
  }
}

/** How far the clock is from where a clock that only counts is, if that began at a time, in ms. */
function jumpSince(time: number): () => number {
  const offset = time - performance.now()
  return () => Date.now() - performance.now() - offset
}

/** After a stop, the clock may be right: the service was stopped for as long, or its folder is an old copy. */
function sentenceAbout(jump: number, wasStopped: boolean): string {
  const days = `${Math.round(Math.abs(jump) / DAY)} days`
  const what = wasStopped
    ? `The clock of this machine is ${days} ${jump > 0 ? 'after' : 'before'} the time when the service last ran.`
    : `The clock of this machine jumped ${jump > 0 ? 'ahead' : 'back'} by ${days}.`
  return `${what} Housekeeping and notifications wait, so that no report is deleted by a wrong time. Set the clock right; if it is right now, start the service again.`
}
