/** Identifies the reader of a console request and what they may see. */

import { getCookie } from 'hono/cookie'
import { rowPolicyOf } from '../access/restrictions.ts'
import { requireAccess } from '../access/decide.ts'
import type { Principal } from '../access/principal.ts'
import type { Call } from '../http/context.ts'
import { identify, rulesFor } from '../http/guard.ts'
import { publicAddressOf } from '../http/public-address.ts'
import { hasEnded } from '../store/ended-sessions.ts'
import { resumeSession, type ResumedSession } from './session.ts'
import type { Reader } from './visit.ts'
import { listed } from './format.ts'

/** Browsers send a cookie with the first name over HTTPS only; a local service has no HTTPS. */
export const cookieName = (url: URL): string =>
  url.protocol === 'https:' ? '__Host-console_session' : 'console_session'

/**
 * The reader, by the request's credentials or by a sign-in; null without either.
 *
 * @throws Denied for a principal without the scope read
 */
export async function readerOf(c: Call): Promise<Reader | null> {
  const known = await identify(c.req.raw, rulesFor(c.var.settings))
  const session = known === null ? await sessionOf(c) : null
  const principal = known ?? session?.principal ?? null
  if (principal === null) return null
  requireAccess({ scope: 'read', allowsRestricted: true }, principal)
  return {
    name: principal.kind === 'anyone' ? null : principal.name,
    signedIn: session !== null,
    restrictionNote: restrictionNoteOf(principal),
    restrictions: principal.restrictions,
    rowPolicy: rowPolicyOf(principal.restrictions),
    admin: principal.scopes.has('admin') && principal.restrictions === null,
    operator: principal.scopes.has('operate') && principal.restrictions === null,
  }
}

/** The session that the request's cookie is good for; null without one, and after its end. */
export async function sessionOf(c: Call): Promise<ResumedSession | null> {
  const { CONSOLE_KEY: key } = c.var.settings
  const cookie =
    getCookie(c, cookieName(publicAddressOf(c))) ??
    // One who signed in past the proxy.
    getCookie(c, cookieName(new URL(c.req.url)))
  if (key === '' || cookie === undefined) return null
  const now = Date.now()
  const session = resumeSession(key, rulesFor(c.var.settings), cookie, now)
  if (session === null || (await hasEnded(c.var.databases.nearest(), session, now))) return null
  return session
}

/** Tells a restricted reader which nodes they see, so that they don't take them for all. */
function restrictionNoteOf({ restrictions }: Principal): string | null {
  if (restrictions === null) return null
  const parts = [
    restrictions.environments &&
      `${restrictions.environments.length === 1 ? 'environment' : 'environments'} ${listed(restrictions.environments)}`,
    restrictions.certnames && `nodes named ${listed(restrictions.certnames)}`,
  ].filter((part) => part !== null)
  return `You see only ${listed(parts)}.`
}
