/** A bracket expression, `[…]`, read into the set of characters that it matches. */

import { CLASSES, NEWLINE, complement, ignoringCase, union } from './characters.ts'
import { readEscape } from './escape.ts'
import type { Options } from './options.ts'
import { fail, type PatternReader } from './reader.ts'
import type { CharacterSet } from './tree.ts'

type Item =
  | { readonly kind: 'character'; readonly point: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'named'; readonly mark: '.' | '=' | ':' }
  | { readonly kind: 'dash' }
  | { readonly kind: 'close' }

const DASH = 45
const MARKS = ['.', '=', ':'] as const

/**
 * Reads up to the closing bracket; the opening one has been read. @param groups number of captures before
 * it. @throws QueryError where it is malformed
 */
export function readBracket(reader: PatternReader, options: Options, groups: number): CharacterSet {
  const negated = reader.takes('^')
  const set = new Bracket(reader, groups).items()
  const cased = options.ignoreCase ? ignoringCase(set) : set
  if (!negated) return cased
  return complement(options.lineStops ? union(cased, NEWLINE) : cased)
}

/** One item is always read ahead, so that of two faults the error names the one that PostgreSQL names. */
class Bracket {
  private item: Item

  constructor(
    private readonly reader: PatternReader,
    private readonly groups: number,
  ) {
    this.item = this.read(true)
  }

  /** items = (class | element ('-' element)?)* ']' */
  items(): CharacterSet {
    const sets: CharacterSet[] = []
    while (this.item.kind !== 'close') sets.push(this.class() ?? this.range())
    return union(...sets)
  }

  private class(): CharacterSet | undefined {
    const { item } = this
    if (item.kind === 'set') {
      this.next()
      return item.set
    }
    if (item.kind !== 'named' || item.mark === '.') return undefined
    const name = this.name(item.mark)
    if (item.mark === ':') return CLASSES.get(name) ?? fail('className')
    const point = collatingElement(name)
    return [[point, point]]
  }

  private range(): CharacterSet {
    const first = this.element()
    if (this.item.kind !== 'dash') return [[first, first]]
    this.next()
    const last = this.item.kind === 'dash' ? this.dash() : this.element()
    return first <= last ? [[first, last]] : fail('range')
  }

  private element(): number {
    const { item } = this
    if (item.kind === 'named' && item.mark === '.') return collatingElement(this.name(item.mark))
    if (item.kind !== 'character') return fail('range')
    this.next()
    return item.point
  }

  /** A dash may end a range: `[+--]`. */
  private dash(): number {
    this.next()
    return DASH
  }

  /** The text up to `mark` and the bracket after it. */
  private name(mark: string): string {
    let name = ''
    while (!this.reader.takes(`${mark}]`))
      name += this.reader.isAtEnd ? fail('brackets') : this.reader.take()
    this.next()
    return name
  }

  private next(): void {
    this.item = this.read(false)
  }

  private read(isFirst: boolean): Item {
    const { reader } = this
    if (reader.isAtEnd) fail('brackets')
    const character = reader.take()
    if (character === '\\') return readEscaped(reader, this.groups)
    if (character === ']' && !isFirst) return { kind: 'close' }
    if (character === '-' && !isFirst && reader.peek() !== ']') return { kind: 'dash' }
    if (character === '[') {
      if (reader.isAtEnd) fail('brackets')
      const mark = MARKS.find((sign) => reader.takes(sign))
      if (mark) return { kind: 'named', mark }
    }
    return { kind: 'character', point: character.codePointAt(0) ?? 0 }
  }
}

function readEscaped(reader: PatternReader, groups: number): Item {
  const escape = readEscape(reader, groups)
  if (escape.kind === 'character') return escape
  if (escape.kind !== 'class') return fail('escape')
  const set = CLASSES.get(escape.name) ?? []
  return { kind: 'set', set: escape.negated ? complement(set) : set }
}

function collatingElement(name: string): number {
  const [only, ...more] = name
  if (only !== undefined && more.length === 0) return only.codePointAt(0) ?? 0
  return COLLATING_NAMES.get(name) ?? fail('collation')
}

const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC IS4 IS3 IS2 IS1'

const SIGNS = [
  'space exclamation-mark quotation-mark number-sign dollar-sign percent-sign ampersand apostrophe',
  'left-parenthesis right-parenthesis asterisk plus-sign comma hyphen period slash',
  'zero one two three four five six seven eight nine',
  'colon semicolon less-than-sign equals-sign greater-than-sign question-mark commercial-at',
].join(' ')

const BRACKETS =
  'left-square-bracket backslash right-square-bracket circumflex underscore grave-accent'

const BRACES = 'left-brace vertical-line right-brace tilde DEL'

const SYNONYMS: ReadonlyMap<string, number> = new Map([
  ['alert', 7],
  ['backspace', 8],
  ['tab', 9],
  ['newline', 10],
  ['vertical-tab', 11],
  ['form-feed', 12],
  ['carriage-return', 13],
  ['FS', 28],
  ['GS', 29],
  ['RS', 30],
  ['US', 31],
  ['hyphen-minus', 45],
  ['full-stop', 46],
  ['solidus', 47],
  ['reverse-solidus', 92],
  ['circumflex-accent', 94],
  ['low-line', 95],
  ['left-curly-bracket', 123],
  ['right-curly-bracket', 125],
])

const numbered = (names: string, first: number): [string, number][] =>
  names.split(' ').map((name, index) => [name, first + index])

/** Names of characters in `[[.name.]]` and `[[=name=]]`, as PostgreSQL lists them (regc_locale.c) → code points. */
const COLLATING_NAMES: ReadonlyMap<string, number> = new Map([
  ...numbered(CONTROLS, 0),
  ...numbered(SIGNS, 32),
  ...numbered(BRACKETS, 91),
  ...numbered(BRACES, 123),
  ...SYNONYMS,
])
