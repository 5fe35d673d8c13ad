/** PostgreSQL's regular expressions: pattern → test of texts. */
import { QueryError } from '../../lib/errors.ts'
import { unreachable } from '../../lib/invariant.ts'
import { automatonOf } from './automaton.ts'
import { StepBudget } from './step-budget.ts'
import { readLiteral, treeOfLiteral, type Literal } from './literal.ts'
import { parsePattern } from './parser.ts'
import { children, type Tree } from './tree.ts'

export { StepBudget }

/** A parsed pattern: a plain test, or a tree for `matcher`. */
export type Pattern = Literal | { readonly kind: 'regex'; readonly tree: Tree }

/** The longest pattern. A list of a thousand host names is a third of this. */
export const MAX_LENGTH = 65_536

/**
 * The most states. The time for a text is its length times, at worst, the states; counts multiply them:
 * `(a{99}){99}` has 9,801.
 */
export const MAX_STATES = 30_000

/** The most lookarounds: each is one bit of a number, as is each of the eight assertions. */
export const MAX_LOOKAROUNDS = 20

/**
 * Reads a PostgreSQL advanced regular expression, under the C locale and UTF-8.
 *
 * @throws QueryError: in PostgreSQL's words for a malformed pattern, in ours for one beyond a limit or
 * with a back-reference
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
  if (lookaroundsIn(tree) > MAX_LOOKAROUNDS)
    throw new QueryError(
      `A regular expression may look ahead and behind at most ${MAX_LOOKAROUNDS} times`,
    )
  return read
}

const patternOf = (tree: Tree): Pattern => readLiteral(tree) ?? { kind: 'regex', tree }

/**
 * Combines patterns: matches where any of these does. One pattern, unless the limits on states and
 * lookarounds require more.
 */
export function anyOf(patterns: readonly Pattern[]): Pattern[] {
  const runs: Pattern[][] = []
  let states = Infinity
  let lookarounds = 0
  for (const pattern of patterns) {
    const tree = treeOf(pattern)
    states += statesOf(tree)
    lookarounds += lookaroundsIn(tree)
    if (states > MAX_STATES || lookarounds > MAX_LOOKAROUNDS) {
      runs.push([])
      states = statesOf(tree)
      lookarounds = lookaroundsIn(tree)
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

function lookaroundsIn(tree: Tree): number {
  const inner = children(tree).reduce((sum, child) => sum + lookaroundsIn(child), 0)
  return tree.kind === 'lookaround' ? 1 + inner : inner
}

/**
 * A test of texts for a pattern. Its time is linear in the text for every pattern.
 *
 * @param budget the budget, shared by the patterns of one query
 *
 * @throws QueryError, from the test as well, once the budget is spent
 */
export function matcher(pattern: Pattern, budget = new StepBudget()): (text: string) => boolean {
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
      return automatonOf(pattern.tree, budget)
    default:
      return unreachable(pattern)
  }
}
