/** The options in front of a pattern: `***=`, `***:`, `(?i)`. */
import { QueryError } from '../../lib/errors.ts'
import { fail, type PatternReader } from './reader.ts'

export type Options = {
  /** The rest is a text to find, not an expression. */
  readonly quoted: boolean
  readonly ignoreCase: boolean
  /** White space and comments are ignored. */
  readonly expanded: boolean
  /** `^` and `$` hold at every line as well. */
  readonly lineAnchors: boolean
  /** `.` and `[^x]` do not match newlines. */
  readonly lineStops: boolean
}

const PLAIN: Options = {
  quoted: false,
  ignoreCase: false,
  expanded: false,
  lineAnchors: false,
  lineStops: false,
}

/** PostgreSQL manual, table "ARE Embedded-Option Letters". */
const LETTERS: ReadonlyMap<string, Partial<Options>> = new Map<string, Partial<Options>>([
  ['c', { ignoreCase: false }],
  ['i', { ignoreCase: true }],
  ['m', { lineAnchors: true, lineStops: true }],
  ['n', { lineAnchors: true, lineStops: true }],
  ['p', { lineAnchors: false, lineStops: true }],
  ['q', { quoted: true }],
  ['s', { lineAnchors: false, lineStops: false }],
  ['t', { expanded: false }],
  ['w', { lineAnchors: true, lineStops: false }],
  ['x', { expanded: true }],
])

/** Reads the director and the embedded options at the start of a pattern. @throws QueryError for unknown ones */
export function readPatternOptions(reader: PatternReader): Options {
  if (reader.takes('***')) {
    if (reader.takes('=')) return { ...PLAIN, quoted: true }
    if (reader.takes('?')) fail('version')
    if (!reader.takes(':')) fail('operand')
  }
  if (!(reader.peek() === '(' && reader.peek(1) === '?' && isLetter(reader.peek(2)))) return PLAIN
  reader.takes('(?')
  let options = PLAIN
  while (isLetter(reader.peek())) options = { ...options, ...option(reader.take()) }
  if (!reader.takes(')')) fail('option')
  return options.quoted
    ? { ...options, expanded: false, lineAnchors: false, lineStops: false }
    : options
}

const isLetter = (character: string) => /[A-Za-z]/.test(character)

function option(letter: string): Partial<Options> {
  if (letter === 'b' || letter === 'e')
    throw new QueryError(
      `The option (?${letter}) selects an older kind of regular expression, which is not supported`,
    )
  return LETTERS.get(letter) ?? fail('option')
}
