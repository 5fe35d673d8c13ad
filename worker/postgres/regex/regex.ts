/** PostgreSQL's regular expressions: from the pattern that a query holds to a test of texts. */
import { QueryError } from '../../lib/errors.ts'
import { unreachable } from '../../lib/invariant.ts'
import { automatonOf } from './automaton.ts'
import { Effort } from './effort.ts'
import { readLiteral, treeOfLiteral, type Literal } from './literal.ts'
import { parsePattern } from './parser.ts'
import { children, type Tree } from './tree.ts'

export { Effort }

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
  const read = patternOf(tree)
  if (read.kind !== 'regex') return read
  if (statesOf(tree) > MAX_STATES)
    throw new QueryError(
      `The regular expression has more than ${MAX_STATES} states when its counts are written out`,
    )
  if (looksOf(tree) > MAX_LOOKS)
    throw new QueryError(
      `A regular expression may look ahead and behind at most ${MAX_LOOKS} times`,
    )
  return read
}

const patternOf = (tree: Tree): Pattern => readLiteral(tree) ?? { kind: 'regex', tree }

/** Patterns that match where any of these does: one, unless the limits on states and looks ask for more. */
export function anyOf(patterns: readonly Pattern[]): Pattern[] {
  const runs: Pattern[][] = []
  let states = Infinity
  let looks = 0
  for (const pattern of patterns) {
    const tree = treeOf(pattern)
    states += statesOf(tree)
    looks += looksOf(tree)
    if (states > MAX_STATES || looks > MAX_LOOKS) {
      runs.push([])
      states = statesOf(tree)
      looks = looksOf(tree)
    }
    runs.at(-1)!.push(pattern)
  }
  return runs.map((run) =>
    run.length === 1 ? run[0]! : patternOf({ kind: 'choice', branches: run.map(treeOf) }),
  )
}

const treeOf = (pattern: Pattern): Tree =>
  pattern.kind === 'regex' ? pattern.tree : treeOfLiteral(pattern)

function statesOf(tree: Tree): number {
  const inner = children(tree).reduce((sum, child) => sum + statesOf(child), 0)
  return tree.kind === 'repeat' ? 1 + inner * Math.max(tree.most ?? tree.least, 1) : 1 + inner
}

function looksOf(tree: Tree): number {
  const inner = children(tree).reduce((sum, child) => sum + looksOf(child), 0)
  return tree.kind === 'look' ? 1 + inner : inner
}

/**
 * The test of a text that a pattern stands for. Its time is linear in the text, whatever the pattern.
 *
 * @param effort shared by patterns that are tried for one query
 * @throws QueryError, from the test as well, once there was too much work
 */
export function matcher(pattern: Pattern, effort = new Effort()): (text: string) => boolean {
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
      return automatonOf(pattern.tree, effort)
    default:
      return unreachable(pattern)
  }
}
