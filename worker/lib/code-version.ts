/** Short forms of code versions, which often wrap a commit in a long name. */

/** A hash in a code version: `urn:puppet:code-id:1:<hash>;production` has one, and so has `production-<hash>`. */
const HASH = /(?<![0-9a-z])[0-9a-f]{16,64}(?![0-9a-z])/i

/** The commit that a code version names; a version without one is itself the name. */
export const commitHashOf = (text: string): string => HASH.exec(text)?.[0] ?? text

/** The part of a code version that tells it from others: the beginning of its hash, else its end. */
export function short(text: string): string {
  const hash = HASH.exec(text)
  if (hash) return hash[0].slice(0, 8)
  return text.length > 24 ? `…${text.slice(-23)}` : text
}
