/** The characters of a pattern, read one after the other, and the way to fail over one. */
import { QueryError } from '../../lib/errors.ts'

/** The texts are PostgreSQL's own (regerrs.h), since people search the web for them. */
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

/** Refuses the pattern the way PostgreSQL does. */
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

  get ended(): boolean {
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

  /** Takes `text`, which is ASCII, if it comes next. */
  takes(text: string): boolean {
    for (let index = 0; index < text.length; index += 1)
      if (this.peek(index) !== text[index]) return false
    this.at += text.length
    return true
  }

  /** Steps back over characters already taken. */
  back(count = 1): void {
    this.at -= count
  }

  /** Everything from here to the end. */
  rest(): string {
    const text = this.characters.slice(this.at).join('')
    this.at = this.characters.length
    return text
  }

  /** Passes over white space and `#` comments, which mean nothing in the expanded syntax. */
  skipSpace(): void {
    for (;;) {
      while (SPACE.test(this.peek())) this.at += 1
      if (this.peek() !== '#') return
      while (!this.ended && this.peek() !== '\n') this.at += 1
    }
  }
}
