/** Credentials of a request → its principal. */

import { Denied } from '../lib/errors.ts'
import { validToken, type StoredToken } from './tokens.ts'
import { principalOfCertificate, type PresentedCertificate } from './certificates.ts'
import { personOf } from './people.ts'
import { ANYONE, type Principal } from './principal.ts'
import { personIn, principalOfPerson } from './named-people.ts'
import type { AccessRules } from './rules.ts'

/** The credentials of a request, from its headers and its connection. */
export interface Presented {
  readonly authorization: string | null
  /** X-Authentication, in which PuppetDB's clients send a token. */
  readonly authentication: string | null
  /** Cf-Access-Jwt-Assertion. */
  readonly assertion: string | null
  readonly certificate: PresentedCertificate | null
  /** All headers: a proxy's token says which of them name the person. */
  readonly headers: Pick<Headers, 'get'>
}

/**
 * The principal of the first valid credential: token, certificate, assertion, a person whom a proxy names; null if none is valid.
 * An open service ignores credentials and lets everyone do everything.
 *
 * @param now in ms since 1970
 * @throws Unavailable where the keys of Cloudflare Access can't be fetched; Denied where a proxy names nobody, or a person
 *   whom PEOPLE gives no access
 */
export async function authenticate(
  presented: Presented,
  rules: AccessRules,
  now: number,
): Promise<Principal | null> {
  if (rules.open) return ANYONE
  let proxy: StoredToken | null = null
  for (const text of tokensIn(presented)) {
    const token = validToken(rules.tokens, text, now)
    if (token?.personHeaders === null) return token.principal
    proxy ??= token
  }
  const holder =
    presented.certificate && principalOfCertificate(rules.certificates, presented.certificate)
  if (holder) return holder
  const { people } = rules
  const person =
    presented.assertion !== null && people
      ? await personOf(presented.assertion, people.team, people.keys, now)
      : null
  return person ?? (proxy && personNamedBy(proxy, presented.headers, rules))
}

/** @throws Denied */
function personNamedBy(
  { principal: proxy, personHeaders }: StoredToken,
  headers: Presented['headers'],
  { named }: AccessRules,
): Principal {
  const person = personIn(personHeaders!, headers)
  if (person === null)
    throw new Denied(
      'forbidden',
      `The proxy with the token '${proxy.name}' doesn't name a person: it must set the header ${personHeaders!.user} to one name.`,
    )
  return principalOfPerson(named, person, proxy.scopes)
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
