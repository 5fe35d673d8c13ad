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
    if (Date.now() < this.until) {
      this.left++
      return
    }
    this.until = Date.now() + MINUTE
    log(level, details)
  }

  /** Writes how many lines were left out, once their minute is over: an isolate does nothing between requests. */
  summarize(): void {
    if (this.left === 0 || Date.now() < this.until) return
    log('warn', { message: `${this.what} without credentials, not logged`, count: this.left })
    this.left = 0
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
