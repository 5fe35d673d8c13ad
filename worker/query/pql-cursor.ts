/** A cursor over PQL's tokens that remembers what would have been right, to say so when nothing fits. */

import { MAX_NESTING, nestingError } from './clause.ts'
import { PqlLexer } from './pql-lexer.ts'
import type { Token, TokenKind } from './pql-lexer.ts'
import { sourceError } from './source.ts'

const BLANK = 'a blank'

export class PqlCursor {
  private readonly lexer: PqlLexer
  /** What would have been right here, as asked for so far; may repeat itself. */
  private readonly expected: string[] = []
  private depth = 0

  constructor(text: string) {
    this.lexer = new PqlLexer(text)
  }

  /** Whether the next token is this keyword or sign. */
  at(text: string): boolean {
    this.expected.push(text)
    const { current } = this.lexer
    return current.text === text && ['word', 'phrase', 'punctuation'].includes(current.kind)
  }

  /** Whether the next token is of one of `kinds`; `label` is how an error calls what was wanted. */
  atKind(label: string, ...kinds: readonly TokenKind[]): boolean {
    this.expected.push(label)
    return kinds.includes(this.lexer.current.kind)
  }

  /** Whether the next token is this keyword and the one after it an integer. */
  atCount(keyword: string): boolean {
    return this.at(keyword) && this.lexer.lookahead().kind === 'integer'
  }

  /** The next token's text. */
  get text(): string {
    return this.lexer.current.text
  }

  /** Whether the text ends here. */
  get ended(): boolean {
    return this.lexer.current.kind === 'end'
  }

  /** What would have been right for the next token, each once. */
  get wanted(): readonly string[] {
    return [...new Set(this.expected)]
  }

  /** Goes on to the next token and answers the one left behind. */
  take(): Token {
    const taken = this.lexer.current
    this.lexer.advance()
    this.expected.length = 0
    return taken
  }

  /** Takes this keyword or sign if it comes next. */
  skip(text: string): boolean {
    if (!this.at(text)) return false
    this.take()
    return true
  }

  /** Takes this keyword if it comes next; it must then stand between blanks. */
  skipSpaced(keyword: string): boolean {
    if (!this.at(keyword)) return false
    this.expectBlank()
    this.take()
    this.expectBlank()
    return true
  }

  expect(text: string): void {
    if (!this.skip(text)) throw this.unexpected()
  }

  /** The first of `texts` that comes next, taken; null where none does. */
  takeOneOf<const Text extends string>(texts: readonly Text[]): Text | null {
    const found = texts.filter((text) => this.at(text))[0] ?? null
    if (found !== null) this.take()
    return found
  }

  /** Reads what nests within itself, up to a limit far below that of the stack. */
  nested<Result>(read: () => Result): Result {
    if (this.depth >= MAX_NESTING) throw nestingError()
    this.depth++
    const result = read()
    this.depth--
    return result
  }

  /** The error for the next token: nothing that may stand here. `hint` is a sentence to add. */
  unexpected(hint = ''): Error {
    const { start } = this.lexer.current
    const labels = this.wanted
    const heading = labels.length === 1 ? 'Expected:\n' : 'Expected one of:\n\n'
    const reason = `${heading}${labels.map((label) => `${label}\n`).join('')}${hint}`
    return sourceError('PQL', this.lexer.text, { offset: start, caret: start }, reason)
  }

  private expectBlank(): void {
    if (this.lexer.current.spaced) return
    this.expected.splice(0, Infinity, BLANK)
    throw this.unexpected()
  }
}
