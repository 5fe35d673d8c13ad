/** Tokens: the stored digests, and the principal of a presented token. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { readEntries, type Entry } from './entries.ts'
import type { PersonHeaders } from './named-people.ts'
import type { Principal } from './principal.ts'

/** The prefix of every token, by which secret scanners recognise it; 256 random bits follow. */
export const TOKEN_PREFIX = 'rqs_'

/** A token as the setting stores it: its digest. A token has too many random bits to be found by trying. */
export interface StoredToken {
  readonly digest: Uint8Array
  readonly principal: Principal
  /** The token is invalid from then on, in ms since 1970; null for never. */
  readonly expires: number | null
  /** Where a proxy's token names people; null for every other token. It gives no access by itself. */
  readonly personHeaders: PersonHeaders | null
}

/** SHA-256. */
export const digestOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/** The positional words of an entry, and its keys. */
export const TOKEN_WORDS = ['NAME', 'SCOPE[,SCOPE…]', 'SHA256'] as const
export const TOKEN_KEYS = [
  'certname',
  'environment',
  'expires',
  'user-header',
  'group-header',
] as const

/** Reads the setting's text. @throws Misconfigured */
export function readTokens(setting: string, text: string): readonly StoredToken[] {
  const names = new Set<string>()
  return readEntries(setting, text, (entry: Entry): StoredToken => {
    const [name, scopes, digest] = entry.shape(TOKEN_WORDS, TOKEN_KEYS) as [string, string, string]
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw entry.wrong(
        'its third word must be the SHA-256 of the token, 64 hexadecimal digits, as the command token prints it',
      )
    if (names.has(name)) throw entry.wrong('another one has the same name')
    names.add(name)
    const restrictions = entry.restrictions()
    const personHeaders = personHeadersOf(entry)
    if (personHeaders !== null && restrictions !== null)
      throw entry.wrong('a token with user-header takes no restrictions: PEOPLE has those')
    return {
      personHeaders,
      digest: new Uint8Array(Buffer.from(digest, 'hex')),
      expires: entry.time('expires'),
      principal: {
        name,
        kind: 'token',
        scopes: entry.scopes(scopes),
        restrictions,
      },
    }
  })
}

function personHeadersOf(entry: Entry): PersonHeaders | null {
  const [user = null, groups = null] = ['user-header', 'group-header'].map((key) => {
    const name = entry.word(key)
    if (name !== null && (!/^[\w-]+$/.test(name) || CREDENTIALS.includes(name.toLowerCase())))
      throw entry.wrong(`${key} must be the name of a header, such as X-Remote-User`)
    return name
  })
  if (user === null && groups !== null) throw entry.wrong('group-header needs user-header')
  return user === null ? null : { user, groups }
}
/** Headers that hold the proxy's own token. */
const CREDENTIALS: readonly string[] = ['authorization', 'x-authentication']

/** The principal of a token that gives access by itself; null if it is unknown or has expired. */
export function principalOfToken(
  tokens: readonly StoredToken[],
  presented: string,
  now: number,
): Principal | null {
  const token = validToken(tokens, presented, now)
  return token?.personHeaders === null ? token.principal : null
}

/**
 * The entry of a token; null if it is unknown or has expired. It is compared with every entry, each
 * in constant time, so that the time taken reveals nothing about the entries.
 */
export function validToken(
  tokens: readonly StoredToken[],
  presented: string,
  now: number,
): StoredToken | null {
  const digest = digestOf(presented)
  let found: StoredToken | null = null
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token
  return found && (found.expires === null || now < found.expires) ? found : null
}
