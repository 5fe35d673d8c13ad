/** PostgreSQL's regular expressions: from the pattern that a query holds to a test of texts. */
import { RE2JS } from 're2js'
import { QueryError } from '../lib/errors.ts'
import { unreachable } from '../lib/invariant.ts'
import { automatonOf } from './regex/automaton.ts'
import { readLiteral, type Literal } from './regex/literal.ts'
import { parsePattern } from './regex/parser.ts'
import { printRe2, suitsRe2 } from './regex/re2.ts'
import { children, type Tree } from './regex/tree.ts'

/** A pattern, read: either a plain test of texts or a tree that needs `matcher`. */
export type Pattern = Literal | { readonly kind: 'regex'; readonly tree: Tree }

/** Longer patterns are refused. A list of a thousand host names is a third of this. */
export const MAX_LENGTH = 65_536

/** The time for a text is its length times, at worst, the states. Counts multiply them: `(a{99}){99}` has 9,801. */
export const MAX_STATES = 30_000

/** Each look is one bit of a number, and so is each of the eight places. */
export const MAX_LOOKS = 20

/**
 * Reads a PostgreSQL advanced regular expression, as under the C locale and UTF-8.
 * Throws QueryError: in PostgreSQL's words for a malformed pattern, in ours for one beyond a limit or with a back-reference.
 */
export function readPattern(pattern: string): Pattern {
  if (pattern.length > MAX_LENGTH)
    throw new QueryError(`A regular expression may have at most ${MAX_LENGTH} characters`)
  if (!pattern.isWellFormed() || pattern.includes('\0'))
    throw new QueryError('ERROR: invalid byte sequence for encoding "UTF8"')
  const tree = parsePattern(pattern)
  const literal = readLiteral(tree)
  if (literal) return literal
  if (statesOf(tree) > MAX_STATES)
    throw new QueryError(
      `The regular expression has more than ${MAX_STATES} states when its counts are written out`,
    )
  if (looksOf(tree) > MAX_LOOKS)
    throw new QueryError(
      `A regular expression may look ahead and behind at most ${MAX_LOOKS} times`,
    )
  return { kind: 'regex', tree }
}

function statesOf(tree: Tree): number {
  const inner = children(tree).reduce((sum, child) => sum + statesOf(child), 0)
  return tree.kind === 'repeat' ? 1 + inner * Math.max(tree.most ?? tree.least, 1) : 1 + inner
}

function looksOf(tree: Tree): number {
  const inner = children(tree).reduce((sum, child) => sum + looksOf(child), 0)
  return tree.kind === 'look' ? 1 + inner : inner
}

/** The test of a text that a pattern stands for. Its time is linear in the text, whatever the pattern. */
export function matcher(pattern: Pattern): (text: string) => boolean {
  switch (pattern.kind) {
    case 'any':
      return () => true
    case 'equals':
      return (text) => text === pattern.text
    case 'prefix':
      return (text) => text.startsWith(pattern.text)
    case 'suffix':
      return (text) => text.endsWith(pattern.text)
    case 'contains':
      return (text) => text.includes(pattern.text)
    case 'one-of': {
      const texts = new Set(pattern.texts)
      return (text) => texts.has(text)
    }
    case 'regex':
      return compiled(pattern.tree)
    default:
      return unreachable(pattern)
  }
}

function compiled(tree: Tree): (text: string) => boolean {
  if (!suitsRe2(tree)) return automatonOf(tree)
  const expression = RE2JS.compile(printRe2(tree))
  return (text) => expression.test(text)
}
