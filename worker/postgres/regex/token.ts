/** The words of a pattern outside of brackets and counts. */
import { readEscape, type Escape } from './escape.ts'
import { fail, type Reader } from './reader.ts'

export type Token =
  | Escape
  | { readonly kind: 'end' | '|' | '*' | '+' | '?' | '{' | ')' | '.' | '^' | '$' | '[' }
  | { readonly kind: '('; readonly captures: boolean }
  | { readonly kind: 'look'; readonly ahead: boolean; readonly wanted: boolean }

const SIMPLE = ['|', ')', '.', '^', '$', '{', '*', '+', '?', '['] as const
const LAZY: readonly string[] = ['*', '+', '?']

const OPENINGS: readonly (readonly [string, Token])[] = [
  ['(?:', { kind: '(', captures: false }],
  ['(?=', { kind: 'look', ahead: true, wanted: true }],
  ['(?!', { kind: 'look', ahead: true, wanted: false }],
  ['(?<=', { kind: 'look', ahead: false, wanted: true }],
  ['(?<!', { kind: 'look', ahead: false, wanted: false }],
]

/** Reads the next token. `groups` counts the captures so far, which numeric escapes depend on. */
export function readToken(reader: Reader, expanded: boolean, groups: number): Token {
  skipRemarks(reader, expanded)
  if (reader.ended) return { kind: 'end' }
  if (reader.takes('[[:<:]]')) return { kind: 'place', place: 'word-start' }
  if (reader.takes('[[:>:]]')) return { kind: 'place', place: 'word-end' }
  if (reader.peek() === '(') return readOpening(reader)
  const character = reader.take()
  if (character === '\\') return readEscape(reader, groups)
  if (LAZY.includes(character)) reader.takes('?')
  const kind = SIMPLE.find((sign) => sign === character)
  return !kind || (kind === '{' && !startsCount(reader, expanded))
    ? { kind: 'character', point: character.codePointAt(0) ?? 0 }
    : { kind }
}

/** Comments, and white space where it means nothing. */
function skipRemarks(reader: Reader, expanded: boolean): void {
  do if (expanded) reader.skipSpace()
  while (skipComment(reader))
}

function skipComment(reader: Reader): boolean {
  if (!reader.takes('(?#')) return false
  while (!reader.ended && reader.take() !== ')');
  return true
}

function readOpening(reader: Reader): Token {
  for (const [text, token] of OPENINGS) if (reader.takes(text)) return token
  reader.take()
  return reader.peek() === '?' ? fail('operand') : { kind: '(', captures: true }
}

/** A brace that no digit follows is a plain brace. */
function startsCount(reader: Reader, expanded: boolean): boolean {
  if (expanded) reader.skipSpace()
  return /[0-9]/.test(reader.peek())
}
