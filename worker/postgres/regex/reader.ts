/** A cursor over the characters of a pattern, and PostgreSQL's errors. */
import { QueryError } from '../../lib/errors.ts'

/** PostgreSQL's own texts (regerrs.h), since people search the web for them. */
export const FAULTS = {
  backReference: 'invalid backreference number',
  braces: 'braces {} not balanced',
  brackets: 'brackets [] not balanced',
  collation: 'invalid collating element',
  count: 'invalid repetition count(s)',
  escape: 'invalid escape \\ sequence',
  className: 'invalid character class',
  operand: 'quantifier operand invalid',
  option: 'invalid embedded option',
  parentheses: 'parentheses () not balanced',
  range: 'invalid character range',
  version: 'invalid regexp (reg version 0.8)',
} as const

/** Refuses the pattern in PostgreSQL's words. */
export function fail(fault: keyof typeof FAULTS): never {
  throw new QueryError(`ERROR: invalid regular expression: ${FAULTS[fault]}`)
}

const SPACE = /[\t-\r ]/

export class PatternReader {
  private at = 0
  private readonly characters: readonly string[]

  constructor(pattern: string) {
    this.characters = [...pattern]
  }

  get isAtEnd(): boolean {
    return this.at >= this.characters.length
  }

  /** The character `distance` further on, or '' beyond the end. */
  peek(distance = 0): string {
    return this.characters[this.at + distance] ?? ''
  }

  /** The next character, or '' at the end. */
  take(): string {
    const character = this.peek()
    this.at += 1
    return character
  }

  /** Consumes `text`, which is ASCII, if it comes next. */
  takes(text: string): boolean {
    for (let index = 0; index < text.length; index += 1)
      if (this.peek(index) !== text[index]) return false
    this.at += text.length
    return true
  }

  /** Steps back over consumed characters. */
  back(count = 1): void {
    this.at -= count
  }

  /** Everything from here to the end. */
  rest(): string {
    const text = this.characters.slice(this.at).join('')
    this.at = this.characters.length
    return text
  }

  /** Skips white space and `#` comments, which the expanded syntax ignores. */
  skipSpace(): void {
    for (;;) {
      while (SPACE.test(this.peek())) this.at += 1
      if (this.peek() !== '#') return
      while (!this.isAtEnd && this.peek() !== '\n') this.at += 1
    }
  }
}
