/** The tokens of a pattern outside of brackets and counts. */

import { readEscape, type Escape } from './escape.ts'
import { fail, type PatternReader } from './reader.ts'

export type PatternToken =
  | Escape
  | { readonly kind: 'end' | '|' | '*' | '+' | '?' | '{' | ')' | '.' | '^' | '$' | '[' }
  | { readonly kind: '('; readonly captures: boolean }
  | { readonly kind: 'lookaround'; readonly ahead: boolean; readonly positive: boolean }

const SIMPLE = ['|', ')', '.', '^', '$', '{', '*', '+', '?', '['] as const
const LAZY: readonly string[] = ['*', '+', '?']

const OPENINGS: readonly (readonly [string, PatternToken])[] = [
  ['(?:', { kind: '(', captures: false }],
  ['(?=', { kind: 'lookaround', ahead: true, positive: true }],
  ['(?!', { kind: 'lookaround', ahead: true, positive: false }],
  ['(?<=', { kind: 'lookaround', ahead: false, positive: true }],
  ['(?<!', { kind: 'lookaround', ahead: false, positive: false }],
]

/** Reads the next token. @param groups number of captures so far, which numeric escapes depend on */
export function readToken(reader: PatternReader, expanded: boolean, groups: number): PatternToken {
  skipRemarks(reader, expanded)
  if (reader.isAtEnd) return { kind: 'end' }
  if (reader.takes('[[:<:]]')) return { kind: 'assertion', assertion: 'word-start' }
  if (reader.takes('[[:>:]]')) return { kind: 'assertion', assertion: 'word-end' }
  if (reader.peek() === '(') return readOpening(reader)
  const character = reader.take()
  if (character === '\\') return readEscape(reader, groups)
  if (LAZY.includes(character)) reader.takes('?')
  const kind = SIMPLE.find((sign) => sign === character)
  return !kind || (kind === '{' && !startsCount(reader, expanded))
    ? { kind: 'character', point: character.codePointAt(0) ?? 0 }
    : { kind }
}

/** Skips comments, and white space in the expanded syntax. */
function skipRemarks(reader: PatternReader, expanded: boolean): void {
  do if (expanded) reader.skipSpace()
  while (skipComment(reader))
}

function skipComment(reader: PatternReader): boolean {
  if (!reader.takes('(?#')) return false
  while (!reader.isAtEnd && reader.take() !== ')');
  return true
}

function readOpening(reader: PatternReader): PatternToken {
  for (const [text, token] of OPENINGS) if (reader.takes(text)) return token
  reader.take()
  return reader.peek() === '?' ? fail('operand') : { kind: '(', captures: true }
}

/** A brace without a digit after it is a plain brace. */
function startsCount(reader: PatternReader, expanded: boolean): boolean {
  if (expanded) reader.skipSpace()
  return /[0-9]/.test(reader.peek())
}

/** The numbers of a quantifier in braces: `{2}`, `{2,}`, `{2,5}`. */
export type Bounds = { readonly least: number; readonly most: number | null }

/** PostgreSQL's largest count (DUPMAX). */
const MAX_COUNT = 255

/** Reads bounds to the closing brace and a `?` after it; the opening brace is taken and a digit follows. */
export function readBounds(reader: PatternReader, expanded: boolean): Bounds {
  let character = take(reader, expanded)
  const count = (): number => {
    let sum = 0
    while (isDigit(character) && sum < MAX_COUNT) {
      sum = sum * 10 + Number(character)
      character = take(reader, expanded)
    }
    return isDigit(character) || sum > MAX_COUNT ? fail('count') : sum
  }
  const least = count()
  let most: number | null = least
  if (character === ',') {
    character = take(reader, expanded)
    most = isDigit(character) ? count() : null
    if (most !== null && least > most) fail('count')
  }
  if (character !== '}') fail('count')
  reader.takes('?')
  return { least, most }
}

function take(reader: PatternReader, expanded: boolean): string {
  if (expanded) reader.skipSpace()
  if (reader.isAtEnd) fail('braces')
  const character = reader.take()
  return isDigit(character) || character === ',' || character === '}' ? character : fail('count')
}

const isDigit = (character: string) => /[0-9]/.test(character)
