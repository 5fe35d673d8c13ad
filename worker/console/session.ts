/** A sign-in: a cookie that names a token and is signed with a digest of it, so that it ends with the token. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { principalOfToken, type StoredToken } from '../access/tokens.ts'
import type { Principal } from '../access/principal.ts'
import { Misconfigured } from '../schema/settings.ts'

/** How long a sign-in lasts, unless its token ends before. */
export const SESSION_MS = 7 * 86_400_000
const LEAST_KEY = 32

/** The key that sessions are signed with; null where the operator has set none. @throws Misconfigured for one that can be guessed */
export function sessionKey(setting: string): string | null {
  if (setting === '') return null
  if (setting.length >= LEAST_KEY) return setting
  throw new Misconfigured(
    `The setting CONSOLE_KEY can't be read: at least ${LEAST_KEY} random characters are needed.`,
  )
}

/** Of a token as stored, what ties a session to it. */
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

/** The session that a token begins, or null where it is nobody's. */
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

/** Whose session a cookie is: nobody's once it is over, or its token is, or the key is another. */
export function resumeSession(
  key: string,
  tokens: readonly StoredToken[],
  cookie: string,
  now: number,
): Principal | null {
  const [, name, until, signature] = /^(.*)\.(\d+)\.([\w-]{43})$/.exec(cookie) ?? []
  if (name === undefined || !(now < Number(until))) return null
  const token = tokens.find(({ principal }) => encodeURIComponent(principal.name) === name)
  if (!token || (token.expires !== null && now >= token.expires)) return null
  const right = signatureOf(key, token.principal.name, Number(until), token)
  return timingSafeEqual(Buffer.from(right), Buffer.from(signature!)) ? token.principal : null
}
