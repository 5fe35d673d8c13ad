/** Tokens: what is kept of them, and whose a presented one is. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { readEntries, type Entry } from './entries.ts'
import type { Principal } from './principal.ts'

/** What a token begins with, so that it is recognised where it doesn't belong; 256 random bits follow. */
export const TOKEN_PREFIX = 'rqs_'

/** A token as the setting keeps it: never the token itself, which has more random bits than anyone can try. */
export interface StoredToken {
  readonly digest: Uint8Array
  readonly principal: Principal
  /** From when on it is no longer taken, in ms since 1970. */
  readonly expires: number | null
}

/** SHA-256. */
export const digestOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/** The words of an entry and its keys, in order. */
export const TOKEN_WORDS = ['NAME', 'SCOPES', 'SHA256'] as const
export const TOKEN_KEYS = ['certname', 'environment', 'expires'] as const

/** Reads the setting's text. @throws Misconfigured */
export function readTokens(setting: string, text: string): readonly StoredToken[] {
  const names = new Set<string>()
  return readEntries(setting, text, (entry: Entry): StoredToken => {
    const [name, scopes, digest] = entry.shape(TOKEN_WORDS, TOKEN_KEYS) as [string, string, string]
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw entry.wrong(
        'its third word must be the SHA-256 of the token, 64 hexadecimal digits, as npm run token prints it',
      )
    if (names.has(name)) throw entry.wrong('another one has the same name')
    names.add(name)
    return {
      digest: new Uint8Array(Buffer.from(digest, 'hex')),
      expires: entry.time('expires'),
      principal: {
        name,
        kind: 'token',
        scopes: entry.scopes(scopes),
        restrictions: entry.restrictions(),
      },
    }
  })
}

/**
 * Whose the token is, or null. It is compared with every entry, each in constant time, so that the
 * time it takes tells nothing of the entries.
 */
export function bearerOf(
  tokens: readonly StoredToken[],
  presented: string,
  now: number,
): Principal | null {
  const digest = digestOf(presented)
  let found: StoredToken | null = null
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token
  return found && (found.expires === null || now < found.expires) ? found.principal : null
}
