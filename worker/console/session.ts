/** Sessions of the console: a cookie names a token and is signed with the token's digest, so that it ends with the token. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { principalOfToken, type StoredToken } from '../access/tokens.ts'
import type { Principal } from '../access/principal.ts'
import { DAY } from '../lib/time.ts'
import type { SessionMark } from '../store/ended-sessions.ts'

/** How long a session lasts, unless its token expires earlier. */
export const SESSION_MS = 7 * DAY

/** The signature of a session, which depends on the stored token. */
const signatureOf = (key: string, name: string, expires: number, { digest }: StoredToken): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([name, expires, Buffer.from(digest).toString('hex')]))
    .digest('base64url')

export interface Session {
  readonly cookie: string
  /** In ms since 1970. */
  readonly expires: number
  readonly principal: Principal
}

/** A new session for a token; null for an unknown or expired one. */
export function beginSession(
  key: string,
  tokens: readonly StoredToken[],
  presented: string,
  now: number,
): Session | null {
  const principal = principalOfToken(tokens, presented, now)
  const token = tokens.find((one) => one.principal === principal)
  if (!principal || !token) return null
  const expires = Math.min(now + SESSION_MS, token.expires ?? Infinity)
  const { name } = principal
  const cookie = `${encodeURIComponent(name)}.${expires}.${signatureOf(key, name, expires, token)}`
  return { cookie, expires, principal }
}

/** A session of a cookie. Whether it was signed out, only the database knows. */
export interface ResumedSession extends SessionMark {
  readonly principal: Principal
}

/** The session of a cookie; null after its end, the token's end, or a change of the key. */
export function resumeSession(
  key: string,
  tokens: readonly StoredToken[],
  cookie: string,
  now: number,
): ResumedSession | null {
  const [, name, until, signature] = /^(.*)\.(\d+)\.([\w-]{43})$/.exec(cookie) ?? []
  if (name === undefined || !(now < Number(until))) return null
  const token = tokens.find(({ principal }) => encodeURIComponent(principal.name) === name)
  if (!token || token.personHeaders !== null) return null
  if (token.expires !== null && now >= token.expires) return null
  const { principal } = token
  const expires = Number(until)
  const right = signatureOf(key, principal.name, expires, token)
  if (!timingSafeEqual(Buffer.from(right), Buffer.from(signature!))) return null
  return { principal, expires, signature: right }
}
