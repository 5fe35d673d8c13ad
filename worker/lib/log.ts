/** Writes the log: one JSON object a line. Escapes characters with which a sender could forge lines. */

type Level = 'info' | 'warn' | 'error'

/** Characters that JSON does not escape but terminals obey, or viewers break lines at: C1 controls, line separators, text directions. */
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Logs a message for the operator, with details. */
export function log(level: Level, details: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ level, ...details }).replaceAll(UNSAFE, escaped))
}
