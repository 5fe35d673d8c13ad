/** Turns plain scalars into values, by the rules of Psych, Ruby's library of YAML 1.1. */

import type { Json } from '../lib/json.ts'
import { ExactNumber } from '../lib/lossless.ts'

/** Words with a meaning, in any case. A longer text is always a string. */
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['', null],
  ['~', null],
  ['null', null],
  ['yes', true],
  ['true', true],
  ['on', true],
  ['no', false],
  ['false', false],
  ['off', false],
])
const LONGEST_WORD = 5

/** Numbers that JSON lacks, as Ruby prints them. */
const SPECIAL_NUMBERS: ReadonlyMap<string, string> = new Map([
  ['.inf', 'Infinity'],
  ['+.inf', 'Infinity'],
  ['-.inf', '-Infinity'],
  ['.nan', 'NaN'],
])

/** Digits of another base that become an integer: more take time by their square, and stay a text. */
const MOST_DIGITS = 1000

const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/
const INTEGER = /^[-+]?(?:0|[1-9](?:\d|[,_]\d)*)$/
const OTHER_BASE = /^([-+]?)0(b[01_,]+|x[\da-fA-F_,]+|[0-7_,]+)$/
const FLOAT = /^[-+]?(?:\d[\d_,]*)?\.\d*(?:[eE][-+]\d+)?$/
const QUOTED_SYMBOL = /^:(["'])(.*)\1/

/** Number, boolean, null or text. Dates and times stay texts, symbols lose their colon, integers keep all digits. */
export function resolvePlain(text: string): Json {
  if (startsAsNumber(text.charCodeAt(0))) return resolveNumber(text)
  if (text.length > LONGEST_WORD) return text
  const word = WORDS.get(text.toLowerCase())
  return word === undefined ? text : word
}

/** Digits, `+`, `-`, `.`, and the colon of a symbol. */
const startsAsNumber = (code: number): boolean =>
  (code >= 48 && code <= 58) || code === 43 || code === 45 || code === 46

function resolveNumber(text: string): Json {
  if (SHORT_INTEGER.test(text)) return Number(text)
  if (FLOAT.test(text)) return resolveFloat(text)
  if (text.startsWith(':')) return symbolName(text)
  if (INTEGER.test(text)) return integer(text.replace(/[,_]/g, ''))
  const [, sign, digits] = OTHER_BASE.exec(text) ?? []
  if (digits !== undefined) return resolveOtherBase(sign === '-', digits.replace(/[,_]/g, ''), text)
  return SPECIAL_NUMBERS.get(text.toLowerCase()) ?? text
}

function resolveFloat(text: string): Json {
  const value = Number(text.replace(/[,_]/g, ''))
  return Number.isFinite(value) ? value : text
}

function resolveOtherBase(negative: boolean, digits: string, text: string): Json {
  const prefixed = /^[bx]/.test(digits) ? `0${digits}` : `0o${digits}`
  if (/^0[bxo]?$/.test(prefixed) || digits.length > MOST_DIGITS) return text
  const value = BigInt(prefixed)
  return integer(String(negative ? -value : value))
}

function integer(digits: string): Json {
  const value = Number(digits)
  if (Number.isSafeInteger(value)) return value
  // Takes the place of a number in trees, like the ExactNumber of lossless.ts.
  return new ExactNumber(digits.replace(/^\+/, '')) as unknown as Json
}

function symbolName(text: string): string {
  if (text === ':') return text
  const quoted = QUOTED_SYMBOL.exec(text)?.[2]
  return quoted === undefined ? text.slice(1) : quoted.replace(/^:/, '')
}

/** A plain key as text. Null becomes the empty text, as in Ruby. */
export function keyText(text: string): string {
  if (text.startsWith(':')) return symbolName(text)
  return text.length <= LONGEST_WORD && WORDS.get(text.toLowerCase()) === null ? '' : text
}
