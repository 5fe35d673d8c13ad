/** What the trigger does for hooks: looks at what has arrived, and sends what there is to tell. */

import { readOccurrences } from '../insight/transitions.ts'
import { log } from '../lib/log.ts'
import { HOUR } from '../schema/clocks.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { addDelivery } from '../store/deliveries.ts'
import { moveCursor, readHooks, type Hook } from '../store/hooks.ts'
import { alone } from '../store/lease.ts'
import { deliverDue } from './deliver.ts'
import { tellOf } from './message.ts'

/** The trigger of `wrangler.toml` that this is done by. */
export const NOTIFY_CRON = '*/5 * * * *'

/** What was received so short a time ago may not be stored yet. */
const SETTLING_MS = 30_000
/** A step looks at so much at most, so that after a standstill each stays short. */
const LONGEST_STEP_MS = 6 * HOUR
const MOST_STEPS = 8
/** What a message names one by one. */
const MOST_ITEMS = 100

export interface Notified {
  /** Messages that were made, sent, and not taken. */
  readonly told: number
  readonly delivered: number
  readonly refused: number
}

/**
 * Nothing is read but the list of hooks where there are none.
 *
 * @param now in ms
 * @returns null where there is no hook, or somebody else is at it
 */
export async function notify(
  database: Database,
  { LOCAL_HOOKS }: Settings,
  now: number,
): Promise<Notified | null> {
  const hooks = await readHooks(database)
  if (hooks.length === 0) return null
  return alone(database, 'notify', async () => {
    let told = 0
    for (const hook of hooks) {
      try {
        told += await lookFor(database, hook, now)
      } catch (error) {
        // One that can't be asked must not keep the others silent.
        log('warn', { hook: hook.name, error: (error as Error).message })
      }
    }
    return { told, ...(await deliverDue(database, now, LOCAL_HOOKS === 'on')) }
  })
}

/** Goes on from where the hook stands. @returns how many messages there are */
async function lookFor(database: Database, hook: Hook, now: number): Promise<number> {
  let told = 0
  let at = hook.cursor
  for (let step = 0; step < MOST_STEPS && at < now - SETTLING_MS; step++) {
    const until = Math.min(now - SETTLING_MS, at + LONGEST_STEP_MS)
    const found = await readOccurrences(database, hook, { since: at, until }, MOST_ITEMS)
    const message = tellOf({ ...hook, cursor: at }, until, found, now)
    await database.batch([
      ...(found.total === 0 ? [] : addDelivery(hook.name, message, now, at)),
      moveCursor(hook.name, at, until),
    ])
    if (found.total > 0) told++
    at = until
  }
  return told
}
