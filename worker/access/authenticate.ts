/** Credentials of a request → its principal. */

import { principalOfToken } from './tokens.ts'
import { principalOfCertificate, type PresentedCertificate } from './certificates.ts'
import { personOf } from './people.ts'
import { ANYONE, type Principal } from './principal.ts'
import type { AccessRules } from './rules.ts'

/** The credentials of a request, from its headers and its connection. */
export interface Presented {
  readonly authorization: string | null
  /** X-Authentication, in which PuppetDB's clients send a token. */
  readonly authentication: string | null
  /** Cf-Access-Jwt-Assertion. */
  readonly assertion: string | null
  readonly certificate: PresentedCertificate | null
}

/**
 * The principal of the first valid credential: token, certificate, assertion; null if none is valid.
 * An open service ignores credentials and lets everyone do everything.
 *
 * @param now in ms since 1970
 * @throws Unavailable where the keys of Cloudflare Access can't be fetched
 */
export async function authenticate(
  presented: Presented,
  rules: AccessRules,
  now: number,
): Promise<Principal | null> {
  if (rules.open) return ANYONE
  for (const token of tokensIn(presented)) {
    const principal = principalOfToken(rules.tokens, token, now)
    if (principal) return principal
  }
  const holder =
    presented.certificate && principalOfCertificate(rules.certificates, presented.certificate)
  if (holder) return holder
  const { people } = rules
  return presented.assertion !== null && people
    ? personOf(presented.assertion, people.team, people.keys, now)
    : null
}

/** Whether a request has any credentials, valid or not. */
export const presentsAnything = (presented: Presented): boolean =>
  tokensIn(presented).length > 0 ||
  presented.assertion !== null ||
  presented.certificate?.certPresented === '1'

/** Scheme of the Authorization header → how its value holds a token. */
const SCHEMES: ReadonlyMap<string, (value: string) => string | undefined> = new Map([
  ['bearer', (value) => value],
  ['basic', (value) => /^[^:]*:([\s\S]*)$/.exec(Buffer.from(value, 'base64').toString())?.[1]],
])

/** The tokens of a request: bearer, password of any user, and PuppetDB's own header. */
function tokensIn({ authorization, authentication }: Presented): string[] {
  const [, scheme, value] = /^\s*(\w+)\s+(\S+)\s*$/.exec(authorization ?? '') ?? []
  const read = scheme === undefined ? undefined : SCHEMES.get(scheme.toLowerCase())
  const tokens = [read?.(value!), authentication?.trim()]
  return tokens.filter((token) => token !== undefined && token !== '') as string[]
}
