/** People who sign in with Cloudflare Access. The service verifies the assertion itself and does not rely on a proxy. */

import type { JWTPayload } from 'jose'
import { JOSEError } from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import { matchesGlob } from '../lib/glob.ts'
import type { Principal } from './principal.ts'
import { withImplied, type Scope } from './scopes.ts'
import type { TeamKeys } from './team-keys.ts'

/** The application in Cloudflare Access that people sign in to. */
export interface Team {
  /** `https://<team>.cloudflareaccess.com` */
  readonly issuer: string
  readonly audience: string
  /** Patterns of administrators' e-mail addresses, in lower case. */
  readonly admins: readonly string[]
  /** … and of those who may operate. */
  readonly operators: readonly string[]
}

/** Tolerated difference between clocks, in s. */
const CLOCK_TOLERANCE = 60
/** Characters of an assertion; Cloudflare's have some thousand. */
const LONGEST_ASSERTION = 20_000

/**
 * The person, or the service token of Access, that an assertion names; null where it is not a valid
 * one of the team for this application.
 *
 * @param now in ms since 1970
 * @throws Unavailable where the team's keys are needed and can't be fetched
 */
export async function personOf(
  assertion: string,
  team: Team,
  keys: TeamKeys,
  now: number,
): Promise<Principal | null> {
  const claims = await verifiedClaims(assertion, team, keys, now)
  if (claims === null) return null
  const { email, common_name: service } = claims
  if (typeof email === 'string' && email !== '') {
    const isOf = (globs: readonly string[]): boolean =>
      globs.some((glob) => matchesGlob(glob, email.toLowerCase()))
    return person(email, isOf(team.admins) ? 'admin' : isOf(team.operators) ? 'operate' : 'read')
  }
  return typeof service === 'string' && service !== '' ? person(service, 'read') : null
}

const person = (name: string, scope: Scope): Principal => ({
  name,
  kind: 'person',
  scopes: withImplied([scope]),
  restrictions: null,
})

async function verifiedClaims(
  assertion: string,
  { issuer, audience }: Team,
  keys: TeamKeys,
  now: number,
): Promise<JWTPayload | null> {
  if (assertion.length > LONGEST_ASSERTION) return null
  try {
    const { payload } = await jwtVerify(assertion, keys.at(now), {
      // Cloudflare signs with this algorithm only.
      algorithms: ['RS256'],
      issuer,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    if (error instanceof JOSEError) return null
    throw error
  }
}
