/** Log lines that anyone can cause: one a minute is written, the others are counted. */

import { log } from './log.ts'
import { MINUTE } from './time.ts'

/** All of this isolate. */
const ALL: BoundedLines[] = []

export class BoundedLines {
  private until = 0
  private left = 0

  /** @param what the lines are about, in plural: `requests without credentials` */
  constructor(private readonly what: string) {
    ALL.push(this)
  }

  /** Writes the line, or counts it if one was written within a minute. */
  write(level: 'info' | 'warn' | 'error', details: Readonly<Record<string, unknown>>): void {
    this.summarize()
    if (this.isQuiet()) {
      this.left++
      return
    }
    this.until = Date.now() + MINUTE
    log(level, details)
  }

  /** Writes how many lines were left out, once their minute is over: an isolate does nothing between requests. */
  summarize(): void {
    if (this.left === 0 || this.isQuiet()) return
    log('warn', { message: `${this.what}, not logged`, count: this.left })
    this.left = 0
  }

  /** Whether a line was written within a minute; a clock that was set back doesn't prolong it. */
  private isQuiet(): boolean {
    const rest = this.until - Date.now()
    return rest > 0 && rest <= MINUTE
  }
}

/** Writes the counts whose minute is over. */
export function summarizeBoundedLines(): void {
  for (const lines of ALL) lines.summarize()
}
