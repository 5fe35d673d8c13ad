/** Log lines that anyone can cause without credentials: one a minute is written, the others are counted. */

import { log } from '../lib/log.ts'
import { MINUTE } from '../lib/time.ts'
import { Denied } from '../lib/errors.ts'

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof Denied && error.denial === 'unauthenticated'

class BoundedLines {
  private until = 0
  private left = 0

  constructor(private readonly what: string) {}

  /** Writes the line, or counts it if one was written within a minute. */
  write(level: 'info' | 'warn', details: Readonly<Record<string, unknown>>): void {
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
    log('warn', { message: `${this.what} without credentials, not logged`, count: this.left })
    this.left = 0
  }

  /** Whether a line was written within a minute; a clock that was set back doesn't prolong it. */
  private isQuiet(): boolean {
    const rest = this.until - Date.now()
    return rest > 0 && rest <= MINUTE
  }
}

/** Of this isolate. */
export const UNAUTHENTICATED = {
  requests: new BoundedLines('requests'),
  commands: new BoundedLines('commands'),
}

/** Writes the counts whose minute is over. */
export function summarizeUnauthenticated(): void {
  for (const lines of Object.values(UNAUTHENTICATED)) lines.summarize()
}
