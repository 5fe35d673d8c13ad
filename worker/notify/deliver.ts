/** Sends messages, and tries again for a day what was not taken. */

import type { Database } from '../store/database.ts'
import { noteAttempt, readDue, readOutgoing, type Outgoing } from '../store/deliveries.ts'
import { signedHeaders } from './sign.ts'
import { targetOf } from './target.ts'

/** How long a receiver may take. */
const TIMEOUT_MS = 10_000
const MINUTE = 60_000
/** How long after an attempt that failed the next one comes; behind the last there is none. */
const PAUSES_MS = [1, 5, 30, 120, 480, 960].map((minutes) => minutes * MINUTE)
/** Messages of one run. */
const MOST_AT_ONCE = 20

interface Attempt {
  readonly taken: boolean
  /** The receiver wants nothing any more. */
  readonly gone: boolean
  /** A status, or why there is none, in words. */
  readonly outcome: string
}

async function attempt(
  { url, body, secret, message }: Outgoing,
  now: number,
  local: boolean,
): Promise<Attempt> {
  try {
    const response = await fetch(targetOf(url, local), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'report-query-service',
        ...signedHeaders(secret, message, body, now),
      },
      body,
      // Another address has not been looked at.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return {
      taken: response.ok,
      gone: response.status === 410,
      outcome: `answered ${response.status}`,
    }
  } catch (error) {
    const { name, message: why } = error as Error
    const outcome =
      name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : why.replace(/\.$/, '')
    return { taken: false, gone: false, outcome }
  }
}

/** Tries once, and notes what came of it. */
async function deliver(
  database: Database,
  outgoing: Outgoing,
  now: number,
  local: boolean,
): Promise<Attempt> {
  const made = await attempt(outgoing, now, local)
  const { taken, gone, outcome } = made
  const attempts = outgoing.attempts + 1
  const pause = taken || gone ? undefined : PAUSES_MS[attempts - 1]
  const next = pause === undefined ? null : now + pause
  const delivered = taken ? now : null
  await database.batch([noteAttempt(outgoing.id, { attempts, next, delivered, outcome })])
  return made
}

/** Sends what is due. @returns how many were taken, and how many were not */
export async function deliverDue(database: Database, now: number, local: boolean) {
  const due = await readDue(database, now, MOST_AT_ONCE)
  const made = await Promise.all(due.map((outgoing) => deliver(database, outgoing, now, local)))
  const delivered = made.filter(({ taken }) => taken).length
  return { delivered, refused: made.length - delivered }
}

/** Sends one message now, whatever came of it before. @returns what came of it now; null where there is none of the number */
export async function deliverNow(
  database: Database,
  id: number,
  now: number,
  local: boolean,
): Promise<string | null> {
  const outgoing = await readOutgoing(database, id)
  if (outgoing === null) return null
  const { outcome } = await deliver(database, { ...outgoing, attempts: 0 }, now, local)
  return outcome
}
