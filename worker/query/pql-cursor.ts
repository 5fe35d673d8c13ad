/** A cursor over PQL's tokens. It collects the tokens that the grammar accepts next, for errors and completion. */

import { MAX_NESTING, nestingError } from './clause.ts'
import { PqlLexer } from './pql-lexer.ts'
import type { PqlToken, TokenKind } from './pql-lexer.ts'
import { sourceError } from './source.ts'

const BLANK = 'a blank'

export class PqlCursor {
  private readonly lexer: PqlLexer
  /** Tokens that the parser has tried at this place, some of them repeatedly. */
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

  /** Whether the next token is of one of `kinds`. @param label the name of these kinds in errors */
  atKind(label: string, ...kinds: readonly TokenKind[]): boolean {
    this.expected.push(label)
    return kinds.includes(this.lexer.current.kind)
  }

  /** Whether the next token is this keyword, followed by an integer. */
  atCount(keyword: string): boolean {
    return this.at(keyword) && this.lexer.lookahead().kind === 'integer'
  }

  /** The next token's text. */
  get text(): string {
    return this.lexer.current.text
  }

  /** Whether the text ends here. */
  get isAtEnd(): boolean {
    return this.lexer.current.kind === 'end'
  }

  /** The tokens that the grammar accepts next, each once. */
  get accepted(): readonly string[] {
    return [...new Set(this.expected)]
  }

  /** Advances to the next token and returns the current one. */
  take(): PqlToken {
    const token = this.lexer.current
    this.lexer.advance()
    this.expected.length = 0
    return token
  }

  /** Takes the keyword or sign if it is the next token. */
  skip(text: string): boolean {
    if (!this.at(text)) return false
    this.take()
    return true
  }

  /** Takes the keyword if it is the next token. It must have blanks on both sides. */
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

  /** Takes the next token if it is one of `texts`; null if not. */
  takeOneOf<const Text extends string>(texts: readonly Text[]): Text | null {
    const found = texts.filter((text) => this.at(text))[0] ?? null
    if (found !== null) this.take()
    return found
  }

  /** Reads a part of the grammar that can nest, up to a depth that is far below the limit of the stack. */
  nested<Result>(read: () => Result): Result {
    if (this.depth >= MAX_NESTING) throw nestingError()
    this.depth++
    const result = read()
    this.depth--
    return result
  }

  /** The error for a next token that the grammar does not accept here. @param hint a sentence that is appended */
  unexpected(hint = ''): Error {
    const { start } = this.lexer.current
    const labels = this.accepted
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
