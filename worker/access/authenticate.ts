/** From what a request presents to who is asking. */

import { bearerOf } from './tokens.ts'
import { holderOf, type PresentedCertificate } from './certificates.ts'
import { personOf } from './people.ts'
import { ANYONE, type Principal } from './principal.ts'
import type { Rules } from './rules.ts'

/** What a request presents, as its headers and its connection say. */
export interface Presented {
  readonly authorization: string | null
  /** X-Authentication, which PuppetDB's clients send a token in. */
  readonly authentication: string | null
  /** Cf-Access-Jwt-Assertion. */
  readonly assertion: string | null
  readonly certificate: PresentedCertificate | null
}

/**
 * Who is asking: by token, else by certificate, else by assertion, the first that is good; null where
 * none is. Of an open service everyone may ask all, so that nothing presented is looked at.
 *
 * @param now in ms since 1970
 * @throws Unavailable where an assertion can't be verified now
 */
export async function authenticate(
  presented: Presented,
  rules: Rules,
  now: number,
): Promise<Principal | null> {
  if (rules.open) return ANYONE
  for (const token of tokensIn(presented)) {
    const bearer = bearerOf(rules.tokens, token, now)
    if (bearer) return bearer
  }
  const holder = presented.certificate && holderOf(rules.certificates, presented.certificate)
  if (holder) return holder
  const { people } = rules
  return presented.assertion !== null && people
    ? personOf(presented.assertion, people.team, people.keys, now)
    : null
}

/** Whether a request presents anything that could be meant to let it in. */
export const presentsAnything = (presented: Presented): boolean =>
  tokensIn(presented).length > 0 ||
  presented.assertion !== null ||
  presented.certificate?.certPresented === '1'

/** How a token is sent under each scheme of the Authorization header. */
const SCHEMES: ReadonlyMap<string, (value: string) => string | undefined> = new Map([
  ['bearer', (value) => value],
  ['basic', (value) => /^[^:]*:([\s\S]*)$/.exec(Buffer.from(value, 'base64').toString())?.[1]],
])

/** The tokens that a request presents: as bearer, as the password of any user, or in PuppetDB's own header. */
function tokensIn({ authorization, authentication }: Presented): string[] {
  const [, scheme, value] = /^\s*(\w+)\s+(\S+)\s*$/.exec(authorization ?? '') ?? []
  const read = scheme === undefined ? undefined : SCHEMES.get(scheme.toLowerCase())
  const tokens = [read?.(value!), authentication?.trim()]
  return tokens.filter((token) => token !== undefined && token !== '') as string[]
}
