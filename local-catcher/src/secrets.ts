// The secrets of a catcher: which are meant for a request, and whether one of them fits.
import { missOf, readConditions, type Conditions } from './conditions.js'
import { isObject, listOf, text } from './fields.js'
import { parseMatch } from './match.js'
import type { CapturedRequest } from './request.js'
import { hasSignature, readSecret, SCHEME_NAMES, verifySignature } from './signature.js'
import type { Secret } from './signature.js'

/** A secret, and the requests that it is meant for: all of them unless given. */
export type CatcherSecret = Secret & { readonly when?: Conditions }
/** The same as a user writes it: also 'scheme:secret', or '/path => scheme:secret'. */
export type GivenCatcherSecret = CatcherSecret | string

/** Reads a secret; throws UsageError without ever repeating it. */
export function readCatcherSecret(given: GivenCatcherSecret): CatcherSecret {
  if (isObject(given)) {
    const { when } = given
    return { ...readSecret(given), ...(when && { when: readConditions('when', when) }) }
  }
  text(given)
  // A secret may hold an arrow, but no match begins with a scheme.
  const isPlain = SCHEME_NAMES.some((name) => given.startsWith(`${name}:`))
  const [, match, secret] = (!isPlain && /^(.*?)\s*=>\s*(.*)$/s.exec(given)) || []
  if (match === undefined) return readSecret(given)
  return { ...readSecret(secret), when: parseMatch(match) }
}

/** Reads one secret or a list of them. */
export function readSecrets(
  given: GivenCatcherSecret | readonly GivenCatcherSecret[],
): readonly CatcherSecret[] {
  return Array.isArray(given)
    ? listOf(readCatcherSecret)(given as readonly GivenCatcherSecret[])
    : [readCatcherSecret(given as GivenCatcherSecret)]
}

/**
 * Checks a request with every secret that is meant for it: one that fits is enough, as when secrets
 * are rotated. Where none fits, tells of the first whose signature the request has. Gives null where
 * no secret is meant for it.
 */
export function verifyAny(secrets: readonly CatcherSecret[], request: CapturedRequest) {
  const meant = secrets.filter(({ when }) => !when || missOf(when, request) === null)
  const all = meant.map((secret) => verifySignature(secret, request))
  const there = all.find((_, index) => hasSignature(meant[index], request))
  return all.find(({ state }) => state === 'verified') ?? there ?? all[0] ?? null
}
