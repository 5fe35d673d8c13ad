/** Decides whether a principal may call a route, and words the refusals. */

import { commandText } from '../lib/command-text.ts'
import { Denied } from '../lib/errors.ts'
import type { Principal } from './principal.ts'
import type { Scope } from './scopes.ts'

/** What a route requires of its callers. */
export interface Requirement {
  /** A scope; `any` for every principal; `none` for requests without credentials too. */
  readonly scope: Scope | 'any' | 'none'
  /** Whether restricted principals may call it: its handler applies their restrictions itself. */
  readonly allowsRestricted: boolean
}

/** Facts about a request without a principal that its refusal depends on. */
export interface Circumstances {
  readonly presentsAnything: boolean
  /** Why the certificate of the connection gives no access; null without one. */
  readonly certificateFault: string | null
  /** The settings give access to nobody. */
  readonly nobody: boolean
  /** Whether a browser may ask its user for a name and a password. */
  readonly mayPrompt: boolean
}

const REALM = 'realm="report query service"'

const NOBODY =
  'This service is closed, and no client has access yet. Its operator sets the secret TOKENS: ' +
  `\`${commandText('token', '--name NAME --scope read')}\` prints a token and the line to store; docs/how-to/control-access.md has the other ways.`
const NOTHING_PRESENTED =
  'This request needs credentials. Send a token: as `Authorization: Bearer TOKEN`, as `X-Authentication: TOKEN`, or as the password of HTTP Basic with any user name.'
/** One message for every other failure, so that probing learns nothing. A certificate is explained by what it shows itself. */
const NOT_ACCEPTED = 'These credentials give no access here.'

/** @throws Denied where the principal does not meet the requirement */
export function requireAccess(
  { scope, allowsRestricted }: Requirement,
  principal: Principal,
): void {
  if (scope !== 'none' && scope !== 'any' && !principal.scopes.has(scope)) {
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

/** The refusal of a request without a principal. */
export function unauthenticated({
  presentsAnything,
  certificateFault,
  nobody,
  mayPrompt,
}: Circumstances): Denied {
  const error = presentsAnything ? ', error="invalid_token"' : ''
  const basic = mayPrompt ? `, Basic ${REALM}, charset="UTF-8"` : ''
  const refused = presentsAnything ? (certificateFault ?? NOT_ACCEPTED) : NOTHING_PRESENTED
  const sentence = nobody ? NOBODY : refused
  return new Denied('unauthenticated', sentence, `Bearer ${REALM}${error}${basic}`)
}

/** A principal in a message: `token 'ci'`. */
export const named = ({ kind, name }: Principal): string =>
  kind === 'anyone' ? 'anyone' : `${kind} '${name}'`

const listed = ({ scopes }: Principal): string => [...scopes].sort().join(' and ')
