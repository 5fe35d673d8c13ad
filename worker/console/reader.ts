/** Identifies the reader of a console request and what they may see. */

import { getCookie } from 'hono/cookie'
import { rowPolicyOf } from '../access/restrictions.ts'
import { requireAccess } from '../access/decide.ts'
import type { Principal } from '../access/principal.ts'
import type { AccessRules } from '../access/rules.ts'
import type { Call } from '../http/context.ts'
import { circumstancesOf, identify, rulesFor } from '../http/guard.ts'
import { resumeSession, sessionKey } from './session.ts'
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
  const rules = rulesFor(c.var.settings)
  const known = await identify(c.req.raw, rules)
  const signedIn = known === null ? bySession(c, rules) : null
  const principal = known ?? signedIn
  if (principal === null) return null
  const circumstances = circumstancesOf(c.req.raw, rules.nobody)
  requireAccess({ scope: 'read', allowsRestricted: true }, principal, circumstances)
  return {
    name: principal.kind === 'anyone' ? null : principal.name,
    signedIn: signedIn !== null,
    restrictionNote: restrictionNoteOf(principal),
    restrictions: principal.restrictions,
    rowPolicy: rowPolicyOf(principal.restrictions),
    admin: principal.scopes.has('admin') && principal.restrictions === null,
  }
}

function bySession(c: Call, rules: AccessRules): Principal | null {
  const key = sessionKey(c.var.settings.CONSOLE_KEY)
  const cookie = getCookie(c, cookieName(new URL(c.req.url)))
  return key === null || cookie === undefined
    ? null
    : resumeSession(key, rules.tokens, cookie, Date.now())
}

/** Tells a restricted reader which nodes they see, so that they don't take them for all. */
function restrictionNoteOf({ restrictions }: Principal): string | null {
  if (restrictions === null) return null
  const parts = [
    restrictions.environments && `the environments ${listed(restrictions.environments)}`,
    restrictions.certnames && `nodes such as ${listed(restrictions.certnames)}`,
  ].filter((part) => part !== null)
  return `You see ${listed(parts)} only.`
}
