/** Tokens of tests. */

import { createHash } from 'node:crypto'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The line of TOKENS for a token that is called as its holder is. */
export const tokenLine = (name: string, scopes: string, more = ''): string =>
  `${name} ${scopes} ${sha256(name)} ${more}`.trim()
