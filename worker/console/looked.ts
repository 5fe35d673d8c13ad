/** When a reader last looked at Fleet: a cookie holds it, so that nobody needs an account. */

import { DAY, MINUTE } from '../lib/time.ts'
import type { Headers } from '../http/respond.ts'

export const LOOKED_COOKIE = 'console_looked'

/** Visits within so long of each other are one look. */
const SITTING_MS = 30 * MINUTE
/** A look that is longer ago tells more than a sentence holds. */
const LONGEST_MS = 30 * DAY

/** The end of the look before this one, and the latest visit of this one, in ms. */
interface Looked {
  readonly before: number
  readonly latest: number
}

function readLooked(text: string, now: number): Looked | null {
  const [, before, latest] = /^(\d{1,13})\.(\d{1,13})$/.exec(text) ?? []
  if (latest === undefined || Number(latest) > now || Number(latest) < now - LONGEST_MS) return null
  return now - Number(latest) > SITTING_MS
    ? { before: Number(latest), latest: now }
    : { before: Number(before), latest: now }
}

/** When the reader last looked, in ms; null where that is not known, or too long ago. */
export function lastLook(text: string, now: number): number | null {
  const looked = readLooked(text, now)
  return looked !== null && looked.before >= now - LONGEST_MS ? looked.before : null
}

/** The header that remembers this visit. */
export function rememberLook(text: string, url: URL, now: number): Headers {
  const { before, latest } = readLooked(text, now) ?? { before: 0, latest: now }
  return {
    'set-cookie': `${LOOKED_COOKIE}=${before}.${latest}; Path=/console; Max-Age=${LONGEST_MS / 1000}; HttpOnly; SameSite=Lax${url.protocol === 'https:' ? '; Secure' : ''}`,
  }
}
