/** A new token, and the line by which the setting TOKENS allows it. */

import { randomBytes } from 'node:crypto'
import { digestOf, readTokens, TOKEN_PREFIX } from '../../worker/access/tokens.ts'

export interface NewToken {
  /** Kept nowhere. */
  readonly token: string
  /** Holds its digest only. */
  readonly line: string
}

/**
 * @param scopes separated by commas
 * @param rest further words of the line, such as `certname=web-*`
 * @throws Misconfigured where the line can't be read
 */
export function newToken(name: string, scopes: string, ...rest: readonly string[]): NewToken {
  const token = TOKEN_PREFIX + randomBytes(32).toString('base64url')
  const digest = Buffer.from(digestOf(token)).toString('hex')
  const line = [name, scopes, digest, ...rest].join(' ')
  readTokens('TOKENS', line)
  return { token, line }
}
