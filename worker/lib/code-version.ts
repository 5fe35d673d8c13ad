/** The version of the site's code: the commit in the text that a run reports, and its short form. */

/** A word of hex digits between separators, as a commit is written; SHA-256 ones have 64. */
const HEX_WORD = /(?<![0-9a-z])[0-9a-f]{7,64}(?![0-9a-z])/gi
const WHOLE_COMMIT = 40
/** Seconds or ms since 1970, or a date and perhaps a time, written without separators. */
const TIME = /^(?:1\d{9}(?:\d{3})?|20\d{6}(?:\d{4}(?:\d{2})?)?)$/

const hexWordsOf = (text: string): readonly string[] =>
  (text.match(HEX_WORD) ?? []).map((word) => word.toLowerCase())

/**
 * The commit that a text names, whatever compilers and environments are written around it; null without one. Of
 * several words a whole commit wins, else the last: scripts print compiler, environment, commit.
 */
export function commitIn(text: string): string | null {
  const words = hexWordsOf(text).filter((word) => !TIME.test(word))
  return words.find(({ length }) => length === WHOLE_COMMIT) ?? words.at(-1) ?? null
}

/** Whether a text holds a time, such as when it was compiled: it differs from run to run and names no code. */
export const holdsTime = (text: string): boolean =>
  /\d:\d\d/.test(text) || hexWordsOf(text).some((word) => TIME.test(word))

/** The version that a text names: its commit, else the whole text. */
export const versionIn = (text: string): string => commitIn(text) ?? text

/** Digits of a commit in its short form. */
const SHORT = 8

/** The part of a code version that tells it from others: the beginning of its commit, else its end. */
export function short(text: string): string {
  const commit = commitIn(text)
  if (commit !== null) return commit.slice(0, SHORT)
  return text.length > 24 ? `…${text.slice(-23)}` : text
}
