/** The escapes: a backslash and the characters after it. */
import { fail, type PatternReader } from './reader.ts'
import type { Assertion } from './tree.ts'

export type Escape =
  | { readonly kind: 'character'; readonly point: number }
  | { readonly kind: 'class'; readonly name: string; readonly negated: boolean }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'reference'; readonly group: number }

const character = (point: number): Escape => ({ kind: 'character', point })
const named = (name: string, negated: boolean): Escape => ({ kind: 'class', name, negated })
const assertion = (name: Assertion): Escape => ({ kind: 'assertion', assertion: name })

/** PostgreSQL manual, tables "Character-Entry", "Class-Shorthand" and "Constraint Escapes". */
const LETTERS: ReadonlyMap<string, Escape> = new Map([
  ['a', character(7)],
  ['b', character(8)],
  ['B', character(92)],
  ['e', character(27)],
  ['f', character(12)],
  ['n', character(10)],
  ['r', character(13)],
  ['t', character(9)],
  ['v', character(11)],
  ['d', named('digit', false)],
  ['D', named('digit', true)],
  ['s', named('space', false)],
  ['S', named('space', true)],
  ['w', named('word', false)],
  ['W', named('word', true)],
  ['A', assertion('text-start')],
  ['Z', assertion('text-end')],
  ['m', assertion('word-start')],
  ['M', assertion('word-end')],
  ['y', assertion('word-edge')],
  ['Y', assertion('no-word-edge')],
])

/** Letter → fewest and most hexadecimal digits that follow it. */
const HEXADECIMAL: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['u', [4, 4]],
  ['U', [8, 8]],
  ['x', [1, 255]],
])

/** PostgreSQL keeps a character in 31 bits and adds two values at the end. */
const LAST_CODE = 0x7ffffffe
const LAST_OCTAL = 0xff

/** Reads what follows a backslash. `groups` counts the captures so far: it tells `\12` the reference from `\12` the octal code. */
export function readEscape(reader: PatternReader, groups: number): Escape {
  if (reader.isAtEnd) fail('escape')
  const letter = reader.take()
  if (!/[A-Za-z0-9]/.test(letter)) return character(letter.codePointAt(0) ?? 0)
  if (letter === 'c') return character((pointOf(reader) ?? fail('escape')) & 31)
  const bounds = HEXADECIMAL.get(letter)
  if (bounds) {
    // PostgreSQL's sum wraps around at 32 bits when \x has very many digits.
    const code = BigInt.asUintN(32, BigInt(`0x${digits(reader, /[0-9A-Fa-f]/, ...bounds)}`))
    return code <= LAST_CODE ? character(Number(code)) : fail('escape')
  }
  if (/[0-9]/.test(letter)) return readNumber(reader, letter, groups)
  return LETTERS.get(letter) ?? fail('escape')
}

function readNumber(reader: PatternReader, first: string, groups: number): Escape {
  reader.back()
  if (first !== '0') {
    const text = digits(reader, /[0-9]/, 1, 255)
    const group = Number(text)
    if (text.length === 1 || group <= groups) return { kind: 'reference', group }
    reader.back(text.length)
  }
  const code = Number.parseInt(digits(reader, /[0-7]/, 1, 3), 8)
  if (code <= LAST_OCTAL) return character(code)
  reader.back()
  return character(code >> 3)
}

function digits(reader: PatternReader, digit: RegExp, least: number, most: number): string {
  let text = ''
  while (text.length < most && digit.test(reader.peek())) text += reader.take()
  return text.length < least ? fail('escape') : text
}

const pointOf = (reader: PatternReader): number | undefined => reader.take().codePointAt(0)
