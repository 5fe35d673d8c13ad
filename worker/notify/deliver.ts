/** Delivers messages, and retries failed ones for a day. */

import { MINUTE } from '../lib/time.ts'
import { MAIL_TO_HEADER } from '../schema/mail.ts'
import type { Database } from '../store/database.ts'
import { claimOutgoing, noteAttempt, readDue, type Outgoing } from '../store/deliveries.ts'
import { mailTextOf } from './mail.ts'
import { signedHeaders } from './sign.ts'
import { mailAddressOf, targetOf, type HookReach } from './target.ts'

/** How long a receiver may take to answer. */
const TIMEOUT_MS = 10_000
/** The pause after each failed attempt; after the last one the delivery is given up. */
const PAUSES_MS = [1, 5, 30, 120, 480, 960].map((minutes) => minutes * MINUTE)
/** Attempts at one message, the first one too. */
export const MOST_ATTEMPTS = PAUSES_MS.length + 1
/** How long a message that is sent outside a run is not due for runs, in case that attempt is interrupted. */
const CLAIM_MS = 5 * MINUTE
/** Deliveries attempted in one run. */
const MOST_AT_ONCE = 20
/** Statuses whose Retry-After says when to come back (RFC 6585, 4; RFC 9110, 15.6.4). */
const BUSY: readonly number[] = [429, 503]

/** The longest pause that a receiver may ask for by Retry-After. */
const LONGEST_PAUSE_MS = 24 * 60 * MINUTE

interface Attempt {
  readonly accepted: boolean
  /** The receiver answered that it wants no more messages. */
  readonly unsubscribed: boolean
  /** The pause that the receiver asks for, in ms; 0 without one. */
  readonly pause: number
  /** The receiver's status, or why there is none, as text. */
  readonly outcome: string
}

async function attempt(
  { url, body, secret, message }: Outgoing,
  reach: HookReach,
): Promise<Attempt> {
  // Receivers refuse timestamps that are some minutes off, and a run may be late.
  const now = Date.now()
  try {
    const target = targetOf(url, reach)
    const response = await target.fetch(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'report-query-service',
        ...(target.isMail
          ? {
              [MAIL_TO_HEADER]: mailAddressOf(target.url),
              ...signedHeaders(secret, message, mailTextOf(body), now),
            }
          : signedHeaders(secret, message, body, now)),
      },
      body,
      // The address that it redirects to has not been checked.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const outcome = target.isMail ? await response.text() : `answered ${response.status}`
    if (!target.isMail) await response.body?.cancel()
    return {
      accepted: response.ok,
      unsubscribed: response.status === 410,
      pause: BUSY.includes(response.status) ? pauseAskedFor(response.headers, now) : 0,
      outcome,
    }
  } catch (error) {
    return {
      accepted: false,
      unsubscribed: false,
      pause: 0,
      outcome: outcomeOf(error as Error, url),
    }
  }
}

/** Why there is no answer. */
function outcomeOf({ name, message }: Error, url: string): string {
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  const { protocol, host, hostname } = new URL(url)
  if (protocol === 'mailto:') return message.replace(/\.$/, '')
  if (REFUSED_BY_RUNTIME.test(message))
    return `the runtime refused the connection: ${hostname} may lead to an address that is neither public nor in HOOK_HOSTS${protocol === 'https:' ? ', or its certificate may not be trusted' : ''}`
  if (LOST_CONNECTION.test(message))
    return `nothing answers at ${host}, or it closed the connection`
  return message.replace(/\.$/, '')
}

/** The only error message of a runtime for an address outside its allowed networks, and for a certificate that it does not trust. */
export const REFUSED_BY_RUNTIME = /^internal error; reference = /

/** The message of a runtime that could not connect, or whose connection ended before the answer. */
export const LOST_CONNECTION = /^Network connection lost/

/** The pause of Retry-After, in seconds or until a date (RFC 9110, 10.2.3), in ms; 0 where there is none. */
function pauseAskedFor(headers: Headers, now: number): number {
  const retryAfter = headers.get('retry-after')?.trim() ?? ''
  const pause = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return pause > 0 ? Math.min(pause, LONGEST_PAUSE_MS) : 0
}

/** Makes one attempt and stores its outcome. */
async function deliver(
  database: Database,
  outgoing: Outgoing,
  now: number,
  reach: HookReach,
): Promise<Attempt> {
  const made = await attempt(outgoing, reach)
  const { accepted, unsubscribed, outcome } = made
  const attempts = outgoing.attempts + 1
  const pause = accepted || unsubscribed ? undefined : PAUSES_MS[attempts - 1]
  const next = pause === undefined ? null : now + Math.max(pause, made.pause)
  const delivered = accepted ? now : null
  await database.batch([noteAttempt(outgoing.id, { attempts, next, delivered, outcome })])
  return made
}

/** Makes an attempt at every delivery that is due. @returns how many succeeded and how many failed */
export async function deliverDue(database: Database, now: number, reach: HookReach) {
  const due = await readDue(database, now, MOST_AT_ONCE)
  const made = await Promise.all(due.map((outgoing) => deliver(database, outgoing, now, reach)))
  const delivered = made.filter(({ accepted }) => accepted).length
  return { delivered, failed: made.length - delivered }
}

/** Until when runs leave alone a message that `deliverNow` is about to send. */
export const claimedUntil = (now: number): number => now + CLAIM_MS

/** Sends one message now, also if it was delivered or given up before. @returns the outcome; null for an unknown id */
export async function deliverNow(
  database: Database,
  id: number,
  now: number,
  reach: HookReach,
): Promise<string | null> {
  const outgoing = await claimOutgoing(database, id, claimedUntil(now))
  if (outgoing === null) return null
  const { outcome } = await deliver(database, { ...outgoing, attempts: 0 }, now, reach)
  return outcome
}
