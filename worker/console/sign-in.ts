/** The requests that start and end a session. */

import { generateCookie } from 'hono/cookie'
import { readAtMost } from '../http/body.ts'
import type { Call } from '../http/context.ts'
import { rulesFor } from '../http/guard.ts'
import { publicAddressOf } from '../http/public-address.ts'
import { Refused } from '../lib/errors.ts'
import { SIGN_IN_PROBLEMS, type SignInProblem } from './pages/sign-in.ts'
import { endStoredSession } from '../store/ended-sessions.ts'
import { cookieName, sessionOf } from './reader.ts'
import { beginSession, type Session } from './session.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Why nobody can sign in here; null if they can. */
export function obstacleOf(c: Call): SignInProblem | null {
  const { protocol, hostname } = publicAddressOf(c)
  if (protocol !== 'https:' && !LOOPBACK.includes(hostname)) return SIGN_IN_PROBLEMS.insecure
  return c.var.settings.CONSOLE_KEY === '' ? SIGN_IN_PROBLEMS.noKey : null
}

/** Starts a session if the token has the scope read. */
export function signIn(c: Call, token: string): SignInProblem | null {
  const obstacle = obstacleOf(c)
  const key = c.var.settings.CONSOLE_KEY
  if (obstacle !== null) return obstacle
  const now = Date.now()
  const session = beginSession(key, rulesFor(c.var.settings).tokens, token.trim(), now)
  if (session === null) return SIGN_IN_PROBLEMS.refused
  if (!session.principal.scopes.has('read')) return SIGN_IN_PROBLEMS.noScope
  sendSession(c, session, now)
  return null
}

/** Ends the session, so that a copy of its cookie is good no more, and deletes the cookie. @throws Unavailable */
export async function signOut(c: Call): Promise<void> {
  const session = await sessionOf(c)
  if (session) await endStoredSession(c.var.databases.primary(), session, Date.now())
  sendSession(c, { cookie: '', expires: 0 }, 0)
}

type SessionCookie = Pick<Session, 'cookie' | 'expires'>

const sendSession = (c: Call, session: SessionCookie, now: number): void =>
  c.header('set-cookie', sessionHeader(c, session, now), { append: true })

/**
 * The header's value that stores a session.
 *
 * @param now in ms; a session that has expired by then deletes the cookie
 */
export function sessionHeader(c: Call, { cookie, expires }: SessionCookie, now: number): string {
  const url = publicAddressOf(c)
  return generateCookie(cookieName(url), cookie, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: url.protocol === 'https:',
    maxAge: Math.floor((expires - now) / 1000),
  })
}

/** Forms are far shorter. Unauthenticated clients must not fill the memory. */
const MOST_BYTES = 16_384

/** The fields of the form that was sent. @throws Refused if it has more than `most` bytes or breaks off */
export async function readForm({ req }: Call, most = MOST_BYTES): Promise<URLSearchParams> {
  const bytes = await readAtMost(
    req.raw,
    most,
    () => new Refused('too large', `A form may have at most ${most} bytes.`),
  )
  return new URLSearchParams(new TextDecoder().decode(bytes))
}

/** The page to return to after a form, as a header can carry it: one of the console, never another site. */
export function returnPath(path: unknown): string {
  if (typeof path !== 'string' || !/^\/console(?:[/?][ -\uffff]*)?$/.test(path)) return '/console'
  const { pathname, search, hash } = new URL(path, 'https://console.invalid')
  return /^\/console(?:\/|$)/.test(pathname) ? pathname + search + hash : '/console'
}
