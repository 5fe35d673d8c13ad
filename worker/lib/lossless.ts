/** Parses and prints JSON without losing a digit: a number that a double can't hold keeps its literal. */

import { CommandError } from './errors.ts'
import type { Json } from './json.ts'

/** A number literal that a double would change. Parsed trees contain it in place of the number. */
export class ExactNumber {
  constructor(readonly literal: string) {}

  toString(): string {
    return this.literal
  }

  /** JSON.stringify prints all digits; Node.js 20, which runs tests only, rounds. */
  toJSON(): unknown {
    return JSON.rawJSON?.(this.literal) ?? Number(this.literal)
  }
}

declare global {
  interface JSON {
    /** In the standard since ES2025: an object that JSON.stringify prints as this text. */
    rawJSON?: (text: string) => object
  }
}

/** The exact value of a JSON number literal, for queries and payloads alike. */
export const readNumber = (literal: string): Json =>
  (survives(literal) ? Number(literal) : new ExactNumber(literal)) as Json

/** A number of a parsed tree, exact or not. */
export const isNumber = (value: Json | undefined): value is number =>
  typeof value === 'number' || value instanceof ExactNumber

/** The nearest finite double of either kind of number. */
export const doubleOf = (value: number | ExactNumber): number =>
  Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, Number(value)))

const MAY_LOSE_DIGITS = /(?:^|[:,[\s])-?[1-9]\d{15,}(?:$|[\s,\]}])/
const MAY_OVERFLOW = /\d[eE]\+?\d{3,}(?:$|[\s,\]}])/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const WHOLE_NUMBER = /^-?\d+$/

/** Deepest nesting that this service stores. */
export const DEEPEST = 1000

/**
 * JSON.parse, but integers beyond 2^53 and numbers beyond a double's range become ExactNumber. Numbers with more decimals
 * than a double has are rounded to it, as PuppetDB does. Throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): Json {
  if (!MAY_LOSE_DIGITS.test(text) && !MAY_OVERFLOW.test(text)) return JSON.parse(text) as Json
  // Checks the syntax of the original text, so that error messages don't depend on the marks.
  JSON.parse(text)
  try {
    return unmarked(JSON.parse(markNumbers(text)) as Json)
  } catch (error) {
    // Unlike plain parsing, a walk over the values needs stack for each level.
    if (error instanceof RangeError) throw new SyntaxError('a value is nested too deep')
    throw error
  }
}

/** Turns numbers that a double would change into strings that start with NUL, and doubles a leading NUL of other strings. */
function markNumbers(text: string): string {
  const pieces: string[] = []
  let copied = 0
  // Copies the text between marks whole: a piece for each value took ten times the memory of the text.
  const replace = (from: number, to: number, mark: string): void => {
    pieces.push(text.slice(copied, from), mark)
    copied = to
  }
  for (let from = 0; ;) {
    const quote = text.indexOf('"', from)
    const between = text.slice(from, quote < 0 ? text.length : quote)
    for (const { 0: literal, index } of between.matchAll(NUMBER)) {
      const start = from + index
      if (!survives(literal)) replace(start, start + literal.length, `"\\u0000${literal}"`)
    }
    if (quote < 0) return pieces.join('') + text.slice(copied)
    from = endOfString(text, quote)
    const isMarked = text.startsWith('\\u0000', quote + 1) && !isKey(text, from)
    if (isMarked) replace(quote, quote + 1, '"\\u0000')
  }
}

/** Puts exact numbers in the place of their marks, in the tree itself: a reviver of JSON.parse makes a second one. */
function unmarked(value: Json): Json {
  if (typeof value === 'string') return (value.startsWith('\0') ? unmark(value) : value) as Json
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return value
  for (const [key, member] of isList(value) ? value.entries() : Object.entries(value)) {
    const read = unmarked(member ?? null)
    // Defined, since an assignment to `__proto__` would be another thing.
    if (read !== member) Object.defineProperty(value, key, { value: read })
  }
  return value
}

function unmark(value: string): string | ExactNumber {
  return value.startsWith('\0', 1) ? value.slice(1) : new ExactNumber(value.slice(1))
}

function survives(literal: string): boolean {
  const value = Number(literal)
  return WHOLE_NUMBER.test(literal)
    ? Number.isSafeInteger(value) || String(value) === literal
    : Number.isFinite(value)
}

/** The position after the closing quote of the string that opens at `quote`. */
function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
}

function isKey(text: string, from: number): boolean {
  const next = /\S/g
  next.lastIndex = from
  return next.exec(text)?.[0] === ':'
}

/**
 * Compact JSON text of a parsed tree, keys as they were sent, ExactNumber digit for digit.
 * Throws CommandError for a value nested deeper than 1,000 levels, of which the outermost `around` don't count.
 */
export function jsonText(value: Json, around = 0): string {
  return print(value, (keys) => keys, -around)
}

/**
 * Compact JSON text that is the same for equal values: keys sorted at every level, as PuppetDB compares events.
 * Throws CommandError for a value nested deeper than 1,000 levels.
 */
export function canonicalText(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(value) : print(value, (keys) => keys.sort(), 0)
}

function print(value: Json, order: (keys: string[]) => string[], depth: number): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (value instanceof ExactNumber) return value.literal
  if (depth === DEEPEST) throw new CommandError(`a value is nested deeper than ${DEEPEST} levels`)
  if (isList(value)) return `[${value.map((item) => print(item, order, depth + 1)).join(',')}]`
  const members = order(Object.keys(value)).map(
    (key) => `${JSON.stringify(key)}:${print(value[key] ?? null, order, depth + 1)}`,
  )
  return `{${members.join(',')}}`
}

/** Array.isArray, for readonly lists. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** An object with keys: no list, no null, no ExactNumber. */
export function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}
