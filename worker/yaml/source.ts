/** Holds a document's text and the position of the parser, and makes errors that name the line. */

import { CHARACTER } from './characters.ts'
import { CommandError } from '../lib/errors.ts'

/** Line breaks of YAML 1.1, which Psych writes and reads. */
const BREAK = /[\n\r\u0085\u2028\u2029]/g
const OTHER_BREAK = /[\r\u0085\u2028\u2029]/

export const isBlank = (code: number): boolean => code === CHARACTER.space || code === CHARACTER.tab

export const isBreak = (code: number): boolean =>
  code === CHARACTER.lineFeed ||
  code === CHARACTER.carriageReturn ||
  code === CHARACTER.nextLine ||
  code === CHARACTER.lineSeparator ||
  code === CHARACTER.paragraphSeparator

export class YamlSource {
  /** Index of the next character to read. */
  pos = 0
  /** Index of the first character of its line. */
  lineStart = 0
  /** Blanks before the first character of a line, after `toNextLine`. */
  column = 0
  /** Whether the end of the document is reached. */
  ended = false

  private readonly onlyLineFeeds: boolean
  private knownFrom = 0
  private knownEnd = -1
  private scannedFrom = 0
  private scannedColon = -1

  constructor(readonly text: string) {
    this.onlyLineFeeds = !OTHER_BREAK.test(text)
  }

  /** The code of a character; NaN after the end. */
  code(at = this.pos): number {
    return this.text.charCodeAt(at)
  }

  /** Index of the break that ends the line of `from`, or of the end of the text. */
  lineEnd(from: number): number {
    if (from >= this.knownFrom && from <= this.knownEnd) return this.knownEnd
    this.knownFrom = from
    this.knownEnd = this.findBreak(from)
    return this.knownEnd
  }

  /**
   * Index of the first colon of the line, from `from` on, that is an indicator; without one the index of the line's end. A line
   * is scanned once, however many collections begin on it.
   */
  colonIn(from: number): number {
    if (from >= this.scannedFrom && from <= this.scannedColon) return this.scannedColon
    const end = this.lineEnd(from)
    let at = from
    while (at < end && !(this.code(at) === CHARACTER.colon && this.isDelimited(at + 1))) at++
    this.scannedFrom = from
    this.scannedColon = at
    return at
  }

  private findBreak(from: number): number {
    if (this.onlyLineFeeds) {
      const found = this.text.indexOf('\n', from)
      return found < 0 ? this.text.length : found
    }
    BREAK.lastIndex = from
    return BREAK.exec(this.text)?.index ?? this.text.length
  }

  /** Index of the line after the break at `end`. */
  behindBreak(end: number): number {
    return this.code(end) === CHARACTER.carriageReturn && this.code(end + 1) === CHARACTER.lineFeed
      ? end + 2
      : end + 1
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.pos++
  }

  /** Skips blanks; returns whether that reached the end of the line. */
  atLineEnd(): boolean {
    this.skipBlanks()
    return this.pos >= this.text.length || isBreak(this.code())
  }

  /** Whether the character at `pos` is an indicator: followed by a blank or the end of the line. */
  isIndicator(character: number): boolean {
    return this.code() === character && this.isDelimited(this.pos + 1)
  }

  /** Whether a blank, a break or the end of the text is at `at`. */
  isDelimited(at: number): boolean {
    const code = this.code(at)
    return Number.isNaN(code) || isBlank(code) || isBreak(code)
  }

  /** Moves from the end of a line to the first character of the next line that isn't blank. @throws CommandError before that */
  toNextLine(): void {
    if (!this.atLineEnd()) throw this.error('the line continues where it should end')
    let from = this.pos
    for (;;) {
      if (from >= this.text.length) {
        this.pos = this.text.length
        this.ended = true
        return
      }
      if (!isBreak(this.code(from))) break
      this.lineStart = this.behindBreak(from)
      for (from = this.lineStart; isBlank(this.code(from)); from++);
    }
    this.pos = from
    this.column = from - this.lineStart
    this.ended = this.column === 0 && this.isMarker()
  }

  /** Whether `---` or `...`, which end a document, are at the source's position. */
  isMarker(): boolean {
    const mark = this.text.slice(this.pos, this.pos + 3)
    return (mark === '---' || mark === '...') && this.isDelimited(this.pos + 3)
  }

  /** Number of the line of `at`, from 1. */
  line(at = this.pos): number {
    let line = 1
    for (let end = this.findBreak(0); end < at; end = this.findBreak(this.behindBreak(end))) line++
    return line
  }

  /** An error that names the line of `at`. */
  error(reason: string, at = this.pos): CommandError {
    return new CommandError(`The YAML can't be read: line ${this.line(at)}: ${reason}.`)
  }
}

/**
 * Folds blanks and line breaks within a plain or quoted scalar: a single break becomes a blank, and the first of several
 * is dropped. U+2028 and U+2029 stay, as in libyaml.
 */
export function folded(whitespace: string): string {
  const breaks = breaksOf(whitespace)
  if (breaks.charCodeAt(0) !== CHARACTER.lineFeed) return breaks
  return breaks.length === 1 ? ' ' : breaks.slice(1)
}

/** The breaks of a text of blanks and breaks; CR, CR LF and U+0085 are line feeds. */
export const breaksOf = (whitespace: string): string =>
  whitespace === '\n' ? whitespace : whitespace.replace(/[ \t]/g, '').replace(/\r\n?|\u0085/g, '\n')
