/** Writes the log: one JSON object a line. Escapes characters with which a sender could forge lines, or hide words. */

import { asVisible } from './unseen.ts'

type Level = 'info' | 'warn' | 'error'

/** Logs a message for the operator, with details. */
export function log(level: Level, details: Readonly<Record<string, unknown>>): void {
  console[level](asVisible(JSON.stringify({ level, ...details })))
}
