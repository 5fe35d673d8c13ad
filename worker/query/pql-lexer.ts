/** PQL text → tokens, one at a time, each with its position. */

import { COMPARISONS } from './ast.ts'
import { decodeString } from './json-text.ts'
import { DOTTED_FIELDS } from './pql-words.ts'
import { sourceError } from './source.ts'

/**
 * `word` is a name or keyword, `phrase` a keyword of several words, `path` a field with dots. An
 * `integer` without a sign may be a field's name too. `unknown` is a character that PQL does not use.
 */
export type TokenKind =
  | 'word'
  | 'phrase'
  | 'path'
  | 'integer'
  | 'real'
  | 'string'
  | 'punctuation'
  | 'unknown'
  | 'end'

export interface PqlToken {
  readonly kind: TokenKind
  /** The token as written; for a string, its decoded value. */
  readonly text: string
  readonly start: number
  /** The offset after the token. */
  readonly end: number
  /** Whether blanks precede the token: `and` and `or` need them on both sides. */
  readonly spaced: boolean
}

const BLANKS = /[ \t\n\v\f\r]*/y
const SIGNS = [...COMPARISONS, '!=', '!~', '!', '-', '(', ')', '{', '}', '[', ']', ',']
/** Any of the signs, the longer ones first. */
const PUNCTUATION = new RegExp(
  SIGNS.sort((a, b) => b.length - a.length)
    .map((sign) => sign.replace(/\W/g, '\\$&'))
    .join('|'),
  'y',
)
const WORD = /[A-Za-z0-9_]+\??/y
const PHRASE = /(?:is null|is not null|group by|order by)(?![A-Za-z0-9_?])/y
const REAL = /-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?/y
const NEGATIVE = /-[0-9]+/y
const SEGMENT = /\.(?:".*?"(?=[.\s])|match\(.*?\)|[^\s.",[\]!<=>~]+(?:\[[0-9]+\])?)/y

/** Reads tokens in one pass: `current` is the token at hand, `advance` moves to the next. */
export class PqlLexer {
  current: PqlToken
  private offset = 0

  constructor(readonly text: string) {
    this.current = this.next()
  }

  advance(): void {
    this.current = this.next()
  }

  /** The token after the current one. */
  lookahead(): PqlToken {
    const offset = this.offset
    const token = this.next()
    this.offset = offset
    return token
  }

  private next(): PqlToken {
    const spaced = this.take(BLANKS) !== ''
    const start = this.offset
    const [kind, text] = this.scan()
    return { kind, text, start, end: this.offset, spaced }
  }

  private scan(): [TokenKind, string] {
    const first = this.text[this.offset]
    if (first === undefined) return ['end', '']
    if (first === '"' || first === "'") return ['string', this.string(first)]
    return (
      this.scanned('real', REAL) ??
      this.scanned('integer', NEGATIVE) ??
      this.scanned('punctuation', PUNCTUATION) ??
      this.scanned('phrase', PHRASE) ??
      this.scanWord() ?? ['unknown', first]
    )
  }

  private scanned(kind: TokenKind, pattern: RegExp): [TokenKind, string] | null {
    const text = this.take(pattern)
    return text === '' ? null : [kind, text]
  }

  private scanWord(): [TokenKind, string] | null {
    const word = this.take(WORD)
    if (word === '') return null
    const path = DOTTED_FIELDS.includes(word) ? this.segments() : ''
    if (path !== '') return ['path', word + path]
    return [/^[0-9]+$/.test(word) ? 'integer' : 'word', word]
  }

  private segments(): string {
    let path = ''
    for (let part = this.take(SEGMENT); part !== ''; part = this.take(SEGMENT)) path += part
    return path
  }

  private string(quotationMark: '"' | "'"): string {
    const start = this.offset++
    for (let next = this.text[this.offset]; next !== quotationMark; next = this.text[this.offset]) {
      if (next === undefined) throw this.unterminated(quotationMark)
      this.offset += next === '\\' ? 2 : 1
    }
    const content = this.text.slice(start + 1, this.offset++)
    return quotationMark === '"'
      ? this.decoded(content, start)
      : // Regular expressions are written in single quotes, so backslashes stay.
        content.replaceAll("\\'", "'")
  }

  /** Text in double quotes is a JSON string. */
  private decoded(content: string, start: number): string {
    try {
      return decodeString(`"${content}"`)
    } catch {
      const reason =
        'A string in double quotes knows the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX only.'
      throw sourceError('PQL', this.text, { offset: start, caret: start }, reason)
    }
  }

  private unterminated(quotationMark: string): Error {
    const end = this.text.length
    return sourceError(
      'PQL',
      this.text,
      { offset: end, caret: end },
      `Expected:\n${quotationMark}\n`,
    )
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.offset
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.offset += found.length
    return found
  }
}
