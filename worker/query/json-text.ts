/** A JSON reader whose errors have PuppetDB's wording and place. */

import type { Json } from '../lib/json.ts'
import { readNumber } from '../lib/lossless.ts'
import { MAX_NESTING, nestingError } from './clause.ts'
import { sourceError } from './source.ts'

const BLANKS = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /[\p{L}\p{N}_$]+/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const CONTROL = /\p{Cc}/gu

const WORDS: Readonly<Record<string, Json>> = { true: true, false: false, null: null }
const VALUE = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

/** A list or object whose end is not yet read. */
interface Open {
  readonly kind: 'Array' | 'Object'
  readonly start: number
  readonly values: Json[]
  readonly keys: string[]
}

/** The JSON values that `text` holds one after another. @throws QueryError where it is not JSON */
export function parseJsonSequence(text: string): readonly Json[] {
  return new JsonReader(text).sequence()
}

/** The text of a JSON string literal. As in PuppetDB it may contain line breaks and tabs, which JSON forbids. */
export function decodeString(literal: string): string {
  const escaped = literal.replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return JSON.parse(escaped) as string
}

/** Reads without recursion, so that no text can overflow the stack. */
class JsonReader {
  private offset = 0
  private readonly open: Open[] = []
  private readonly complete: Json[] = []

  constructor(private readonly text: string) {}

  sequence(): readonly Json[] {
    for (this.take(BLANKS); this.offset < this.text.length; this.take(BLANKS)) {
      const top = this.open.at(-1)
      if (top) this.member(top)
      else this.value()
    }
    const top = this.open.at(-1)
    if (top) throw this.unclosed(top)
    return this.complete
  }

  /** member = ["," | first] [string ":"] value, or the closing bracket */
  private member(top: Open): void {
    const next = this.text[this.offset]
    if (next === ']' || next === '}') return this.close(top)
    if (top.values.length > 0) {
      if (next !== ',') throw this.unexpected(`was expecting comma to separate ${top.kind} entries`)
      this.offset++
      this.blanksWithin(top)
    }
    if (top.kind === 'Object') this.key(top)
    this.value()
  }

  private key(top: Open): void {
    if (this.text[this.offset] !== '"') {
      throw this.unexpected('was expecting double-quote to start field name')
    }
    top.keys.push(this.string())
    this.blanksWithin(top)
    if (this.text[this.offset] !== ':') {
      throw this.unexpected('was expecting a colon to separate field name and value')
    }
    this.offset++
    this.blanksWithin(top)
  }

  private value(): void {
    const next = this.text[this.offset] ?? ''
    if (next === '[' || next === '{') return this.begin(next === '[' ? 'Array' : 'Object')
    if (next === '"') return this.add(this.string())
    if (/[-0-9]/.test(next)) return this.add(this.number())
    const word = this.take(WORD)
    if (word === '') throw this.unexpected(`expected a valid value ${VALUE}`)
    const value = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
    if (value === undefined)
      throw this.error(`Unrecognized token '${cut(word)}': was expecting ${VALUE}`)
    this.add(value)
  }

  private begin(kind: Open['kind']): void {
    if (this.open.length >= MAX_NESTING) throw nestingError()
    this.open.push({ kind, start: this.offset, values: [], keys: [] })
    this.offset++
  }

  private close(top: Open): void {
    const closing = top.kind === 'Array' ? ']' : '}'
    if (this.text[this.offset] !== closing) {
      throw this.mismatched(closing, `${top.kind} starting at ${this.placeOf(top.start)}`)
    }
    this.offset++
    this.open.pop()
    this.add(top.kind === 'Array' ? top.values : asObject(top))
  }

  private add(value: Json): void {
    const parent = this.open.at(-1)
    if (parent) parent.values.push(value)
    else this.complete.push(value)
  }

  private string(): string {
    const start = this.offset++
    for (let next = this.text[this.offset]; next !== '"'; next = this.text[this.offset]) {
      if (next === undefined) {
        throw this.error('Unexpected end-of-input: was expecting closing quote for a string value')
      }
      if (next !== '\\') this.offset++
      else if (this.take(ESCAPE) === '') throw this.badEscape()
    }
    this.offset++
    return decodeString(this.text.slice(start, this.offset))
  }

  private number(): Json {
    const literal = this.take(NUMBER)
    const next = this.text[this.offset] ?? ''
    if (literal === '') {
      this.offset++
      throw this.badNumber('expected digit (0-9) to follow minus sign, for valid numeric value')
    }
    if (/^-?0$/.test(literal) && /[0-9]/.test(next)) {
      throw this.error('Invalid numeric value: Leading zeroes not allowed')
    }
    if (next === '.' && !/[.eE]/.test(literal)) {
      this.offset++
      throw this.badNumber('Decimal point not followed by a digit')
    }
    if (/[eE]/.test(next) && !/[eE]/.test(literal)) {
      this.offset++
      throw this.badNumber('Exponent indicator not followed by a digit')
    }
    if (isReal(literal) && !Number.isFinite(Number(literal))) {
      throw this.error('Numeric value is too large')
    }
    return readNumber(literal)
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.offset
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.offset += found.length
    return found
  }

  private blanksWithin(top: Open): void {
    this.take(BLANKS)
    if (this.offset < this.text.length) return
    throw this.error(`Unexpected end-of-input within/between ${top.kind} entries`)
  }

  private unclosed(top: Open): Error {
    if (top.kind === 'Object' && top.keys.length === 0) {
      return this.error('Unexpected end-of-input within/between Object entries')
    }
    const start = `(start marker at ${this.placeOf(top.start)})`
    return this.error(`Unexpected end-of-input: expected close marker for ${top.kind} ${start}`)
  }

  private badEscape(): Error {
    this.offset++
    const digits = this.take(/u[0-9a-fA-F]*/y)
    if (this.offset >= this.text.length) {
      return this.error('Unexpected end-of-input in character escape sequence')
    }
    if (digits !== '') return this.unexpected('expected a hex-digit for character escape sequence')
    return this.error(`Unrecognized character escape ${this.named()}`, 1)
  }

  private badNumber(reason: string): Error {
    if (this.offset >= this.text.length)
      return this.error(`Unexpected end-of-input in numeric value: ${reason}`)
    return this.error(`Unexpected character (${this.named()}) in numeric value: ${reason}`, 1)
  }

  private mismatched(closing: string, opened: string): Error {
    const found = this.text[this.offset]
    return this.error(
      `Unexpected close marker '${found}': expected '${closing}' (for ${opened})`,
      1,
    )
  }

  private unexpected(reason: string): Error {
    return this.error(`Unexpected character (${this.named()}): ${reason}`, 1)
  }

  private named(): string {
    const character = this.text[this.offset] ?? ''
    return `'${character}' (code ${character.charCodeAt(0)})`
  }

  private placeOf(offset: number): string {
    const before = this.text.slice(0, offset).split('\n')
    return `[Source: (StringReader); line: ${before.length}, column: ${before.at(-1)!.length + 1}]`
  }

  /** PuppetDB's column is the one after the last character read; its caret is below that character. */
  private error(reason: string, readMore = 0): Error {
    const offset = this.offset + readMore
    return sourceError('Json', this.text, { offset, caret: offset - 1 }, reason)
  }
}

function asObject({ keys, values }: Open): Json {
  return Object.fromEntries(keys.map((key, index) => [key, values[index]!]))
}

const isReal = (literal: string): boolean => /[.eE]/.test(literal)

const cut = (word: string) => (word.length > 60 ? `${word.slice(0, 60)}…` : word)
