/** From a request to its reader: who is looking, and what of the fleet they may see. */

import { getCookie } from 'hono/cookie'
import { rowPolicyOf } from '../access/restrictions.ts'
import { requireAccess } from '../access/decide.ts'
import type { Principal } from '../access/principal.ts'
import type { Rules } from '../access/rules.ts'
import type { Call } from '../http/context.ts'
import { circumstancesOf, identify, rulesFor } from '../http/guard.ts'
import { resumeSession, sessionKey } from './session.ts'
import type { Reader } from './visit.ts'
import { listed } from './words.ts'

/** Browsers keep a cookie of the first name to HTTPS; a service on this machine has none. */
export const cookieName = (url: URL): string =>
  url.protocol === 'https:' ? '__Host-console_session' : 'console_session'

/**
 * Who is looking: by what the request presents, else by a sign-in; null where nobody is known.
 *
 * @throws Denied for who is known and may not read
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
    admin: principal.scopes.has('admin'),
  }
}

function bySession(c: Call, rules: Rules): Principal | null {
  const key = sessionKey(c.var.settings.CONSOLE_KEY)
  const cookie = getCookie(c, cookieName(new URL(c.req.url)))
  return key === null || cookie === undefined
    ? null
    : resumeSession(key, rules.tokens, cookie, Date.now())
}

/** What someone with restrictions sees, so that few nodes are not taken for all. */
function restrictionNoteOf({ restrictions }: Principal): string | null {
  if (restrictions === null) return null
  const parts = [
    restrictions.environments && `the environments ${listed(restrictions.environments)}`,
    restrictions.certnames && `nodes such as ${listed(restrictions.certnames)}`,
  ].filter((part) => part !== null)
  return `You see ${listed(parts)} only.`
}
