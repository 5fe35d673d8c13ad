/**
 * Sessions of the console, each a signed cookie. One that began with a token names it and is signed with its digest, so that it
 * ends with the token. One that began at an OpenID Connect issuer names the person and is signed with PEOPLE and the issuer, so
 * that it ends when either changes.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { principalOfPerson, withDecidingGroup, type NamedPerson } from '../access/named-people.ts'
import type { Principal } from '../access/principal.ts'
import type { AccessRules } from '../access/rules.ts'
import { principalOfToken, type StoredToken } from '../access/tokens.ts'
import { DAY, HOUR } from '../lib/time.ts'
import type { SessionMark } from '../store/ended-sessions.ts'

/** How long a session lasts, unless its token expires earlier. */
export const SESSION_MS = 7 * DAY
/** How long a session lasts that an issuer began, as the issuer may lock the person out meanwhile. */
export const PERSON_SESSION_MS = 12 * HOUR

/** The signature of the values. @param key CONSOLE_KEY */
export const signatureOf = (key: string, ...values: readonly unknown[]): string =>
  createHmac('sha256', key).update(JSON.stringify(values)).digest('base64url')

const tokenSignature = (
  key: string,
  name: string,
  expires: number,
  { digest }: StoredToken,
): string => signatureOf(key, name, expires, Buffer.from(digest).toString('hex'))

const personSignature = (
  key: string,
  subject: string,
  expires: number,
  { issuer, peopleText }: AccessRules,
): string => signatureOf(key, 'person', subject, expires, issuer?.url, issuer?.clientId, peopleText)

export function isSignature(right: string, presented: string): boolean {
  const [one, other] = [Buffer.from(right), Buffer.from(presented)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export interface Session {
  readonly cookie: string
  /** In ms since 1970. */
  readonly expires: number
  readonly principal: Principal
}

/** A new session for a token; null for an unknown or expired one. */
export function beginSession(
  key: string,
  tokens: readonly StoredToken[],
  presented: string,
  now: number,
): Session | null {
  const principal = principalOfToken(tokens, presented, now)
  const token = tokens.find((one) => one.principal === principal)
  if (!principal || !token) return null
  const expires = Math.min(now + SESSION_MS, token.expires ?? Infinity)
  const { name } = principal
  const cookie = `${encodeURIComponent(name)}.${expires}.${tokenSignature(key, name, expires, token)}`
  return { cookie, expires, principal }
}

/** Begins the cookie of a person; no name of a token has this character in a cookie. */
const PERSON = 'person:'

/** A new session for a person whom the issuer named. @throws Denied if PEOPLE gives them no access */
export function beginPersonSession(
  key: string,
  rules: AccessRules,
  person: NamedPerson,
  now: number,
): Session {
  const principal = principalOfPerson(rules.named, person, null)
  const expires = now + PERSON_SESSION_MS
  // Some people are in hundreds of groups, and a cookie has 4 KB.
  const { name, groups } = withDecidingGroup(rules.named, person)
  const subject = PERSON + Buffer.from(JSON.stringify([name, groups])).toString('base64url')
  const cookie = `${subject}.${expires}.${personSignature(key, subject, expires, rules)}`
  return { cookie, expires, principal }
}

/** A session of a cookie. Whether it was signed out, only the database knows. */
export interface ResumedSession extends SessionMark {
  readonly principal: Principal
}

/** The session of a cookie; null after its end, the end of the token or of the rules that it was signed with, or a change of the key. */
export function resumeSession(
  key: string,
  rules: AccessRules,
  cookie: string,
  now: number,
): ResumedSession | null {
  const [, subject, until, signature] = /^(.*)\.(\d+)\.([\w-]{43})$/.exec(cookie) ?? []
  if (subject === undefined || !(now < Number(until))) return null
  const presented: PresentedSession = { subject, expires: Number(until), signature: signature! }
  return subject.startsWith(PERSON)
    ? resumePerson(key, rules, presented)
    : resumeToken(key, rules.tokens, presented, now)
}

/** The parts of a cookie. */
interface PresentedSession extends SessionMark {
  readonly subject: string
}

function resumePerson(
  key: string,
  rules: AccessRules,
  { subject, expires, signature }: PresentedSession,
): ResumedSession | null {
  if (rules.issuer === null) return null
  if (!isSignature(personSignature(key, subject, expires, rules), signature)) return null
  const text = Buffer.from(subject.slice(PERSON.length), 'base64url').toString()
  const [name, groups] = JSON.parse(text) as [string, readonly string[]]
  return { principal: principalOfPerson(rules.named, { name, groups }, null), expires, signature }
}

function resumeToken(
  key: string,
  tokens: readonly StoredToken[],
  { subject: name, expires, signature }: PresentedSession,
  now: number,
): ResumedSession | null {
  const token = tokens.find(({ principal }) => encodeURIComponent(principal.name) === name)
  if (!token || token.personHeaders !== null) return null
  if (token.expires !== null && now >= token.expires) return null
  const { principal } = token
  return isSignature(tokenSignature(key, principal.name, expires, token), signature)
    ? { principal, expires, signature }
    : null
}
