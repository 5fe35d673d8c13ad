/** Whether who asks may, and the sentence for when they may not. */

import { Denied } from '../lib/errors.ts'
import type { Principal } from './principal.ts'
import type { Scope } from './scopes.ts'

/** What a route asks of whoever asks it. */
export interface Requirement {
  /** A scope; `any` of them; `none`, so that it is open to all. */
  readonly scope: Scope | 'any' | 'none'
  /** Whether restricted principals may call it: its handler applies their restrictions itself. */
  readonly allowsRestricted: boolean
}

/** What is known about how a request came, beside who sent it. */
export interface Circumstances {
  readonly presentsAnything: boolean
  /** Nobody has been given access at all. */
  readonly nobody: boolean
  /** Whether the sender is one whom a browser would ask for a name and a password. */
  readonly mayPrompt: boolean
}

const REALM = 'realm="report query service"'

const NOBODY =
  'This service is closed, and nobody has been given access yet. Its operator sets the secret TOKENS: ' +
  '`npm run token -- --name NAME --scope read` prints a token and the line to store, and the README\'s section "Access" tells the other ways.'
const NOTHING_PRESENTED =
  'This needs access. Send a token: as `Authorization: Bearer TOKEN`, as `X-Authentication: TOKEN`, or as the password of HTTP Basic with any user name.'
/** One sentence for whatever is wrong: how nearly right it was is nobody's business. */
const NOT_ACCEPTED = 'What was presented gives no access here.'

/** @throws Denied where `principal` does not meet what is required */
export function requireAccess(
  { scope, allowsRestricted }: Requirement,
  principal: Principal | null,
  circumstances: Circumstances,
): void {
  if (scope === 'none') return
  if (principal === null) throw unauthenticated(circumstances)
  if (scope !== 'any' && !principal.scopes.has(scope)) {
    throw new Denied(
      'forbidden',
      `This needs the scope ${scope}; ${named(principal)} has ${listed(principal)}.`,
      `Bearer ${REALM}, error="insufficient_scope", scope="${scope}"`,
    )
  }
  if (principal.restrictions && !allowsRestricted) {
    throw new Denied(
      'forbidden',
      `This shows all nodes and environments; ${named(principal)} is restricted to some.`,
    )
  }
}

function unauthenticated({ presentsAnything, nobody, mayPrompt }: Circumstances): Denied {
  const error = presentsAnything ? ', error="invalid_token"' : ''
  const basic = mayPrompt ? `, Basic ${REALM}, charset="UTF-8"` : ''
  const sentence = nobody ? NOBODY : presentsAnything ? NOT_ACCEPTED : NOTHING_PRESENTED
  return new Denied('unauthenticated', sentence, `Bearer ${REALM}${error}${basic}`)
}

/** Someone as refusals call them: `token 'ci'`. */
export const named = ({ kind, name }: Principal): string =>
  kind === 'anyone' ? 'anyone' : `${kind} '${name}'`

const listed = ({ scopes }: Principal): string => [...scopes].sort().join(' and ')
