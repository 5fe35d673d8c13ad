/** The notification trigger: finds what hooks match since their last run, and delivers the messages. */

import { readOccurrences } from '../insight/transitions.ts'
import type { History } from '../history/history.ts'
import { historyWarning } from '../history/lag.ts'
import { log } from '../lib/log.ts'
import { DAY, formatTimestamp, HOUR, MINUTE } from '../lib/time.ts'
import { fullnessWarning } from '../schema/capacity.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { markGrown } from '../store/acknowledgements.ts'
import { addDelivery } from '../store/deliveries.ts'
import { moveCursor, readHooks, type Hook } from '../store/hooks.ts'
import { withLease } from '../store/lease.ts'
import { readUnarchivedDays } from '../store/history.ts'
import { readProgress } from '../store/regrouping.ts'
import { deliverDue } from './deliver.ts'
import { incidentSentence } from './incident-sentence.ts'
import { isOfReports } from '../schema/transitions.ts'
import {
  fullnessMessage,
  historyMessage,
  messageOf,
  notificationOf,
  type Message,
} from './message.ts'
import type { HookReach } from './target.ts'

/** Reports received this recently may not be stored yet. */
const SETTLING_MS = 30_000
/** The longest span of one step, so that each stays short after a standstill. */
const LONGEST_STEP_MS = 6 * HOUR
const MOST_STEPS = 8
/** Most items that a message lists. */
const MOST_ITEMS = 100

export interface Notified {
  /** New messages. */
  readonly messages: number
  /** Attempts at new and earlier messages. */
  readonly delivered: number
  readonly failed: number
}

/**
 * Without hooks only their list is read.
 *
 * @param now in ms
 * @param reach where messages may go
 * @returns null without hooks, or if another run holds the lease
 */
export async function notify(
  database: Database,
  settings: Settings,
  now: number,
  reach: HookReach,
  history: History | null = null,
): Promise<Notified | null> {
  const hooks = await readHooks(database)
  if (hooks.length === 0) return null
  return withLease(database, 'notify', async () => {
    let messages = 0
    const { grouped } = await readProgress(database)
    // As of the newest moment that hooks read, so that this run tells of it.
    await markGrown(database, now - SETTLING_MS - 1)
    for (const hook of hooks) {
      // Until history is regrouped, every cause looks new.
      if (hook.transition === 'new-cause' && !grouped) continue
      try {
        messages += await (isOfReports(hook.transition)
          ? runHook(database, hook, settings, now)
          : warnOfService(
              database,
              hook,
              await messageFor(database, hook, settings, now, history),
              now,
            ))
      } catch (error) {
        // One broken hook must not silence the others.
        log('warn', { hook: hook.name, error: (error as Error).message })
      }
    }
    return { messages, ...(await deliverDue(database, now, reach)) }
  })
}

/** How far a cursor may be ahead: a trigger that runs late has an earlier time than a hook that was just made. */
const TRIGGER_DELAY_MS = 10 * MINUTE

/** Continues from the hook's cursor, or from now where the clock was ahead when it was moved. @returns the number of new messages */
async function runHook(
  database: Database,
  hook: Hook,
  settings: Settings,
  now: number,
): Promise<number> {
  let messages = 0
  let at = hook.cursor
  if (isAhead(hook, now)) {
    at = now - SETTLING_MS
    log('warn', { hook: hook.name, clock: 'was ahead', told_until: formatTimestamp(hook.cursor) })
    await database.batch([moveCursor(hook.name, hook.cursor, at)])
  }
  for (let step = 0; step < MOST_STEPS && at < now - SETTLING_MS; step++) {
    const until = Math.min(now - SETTLING_MS, at + LONGEST_STEP_MS)
    const found = await readOccurrences(database, hook, { since: at, until }, MOST_ITEMS)
    await database.batch([
      ...(found.total === 0
        ? []
        : addDelivery(
            hook.name,
            messageOf(
              hook,
              notificationOf(
                { ...hook, cursor: at },
                until,
                found,
                now,
                await incidentSentence(database, hook, found, settings, now),
              ),
            ),
            now,
            at,
          )),
      moveCursor(hook.name, at, until),
    ])
    if (found.total > 0) messages++
    at = until
  }
  return messages
}

const isAhead = ({ cursor }: Hook, now: number): boolean => cursor > now + TRIGGER_DELAY_MS

/** What a hook about the service itself tells now; null for nothing. */
async function messageFor(
  database: Database,
  hook: Hook,
  settings: Settings,
  now: number,
  history: History | null,
): Promise<Message | null> {
  if (hook.transition === 'history-behind') {
    const [day] =
      history === null ? [] : await readUnarchivedDays(database, Number.MAX_SAFE_INTEGER, 1)
    const warning = historyWarning(day?.day ?? null, history?.required ?? false, now)
    return warning === null ? null : historyMessage(hook, warning, now)
  }
  const { databaseBytes } = database.usage
  const warning = fullnessWarning(databaseBytes, settings)
  return warning === null ? null : fullnessMessage(hook, warning, databaseBytes, now)
}

/** Tells at most once a day; the hook's cursor is when it last told. @returns the number of new messages */
async function warnOfService(
  database: Database,
  hook: Hook,
  message: Message | null,
  now: number,
): Promise<number> {
  const isTold = hook.cursor > hook.created && hook.cursor > now - DAY && !isAhead(hook, now)
  if (message === null || isTold) return 0
  await database.batch([
    ...addDelivery(hook.name, message, now, hook.cursor),
    moveCursor(hook.name, hook.cursor, now),
  ])
  return 1
}
