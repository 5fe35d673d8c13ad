/** The log: one JSON object a line, whatever a sender has put into it. */

type Level = 'info' | 'warn' | 'error'

/** What JSON leaves as it is and a terminal obeys or a viewer breaks lines at: C1 controls, line separators, directions. */
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Tells the operator something, with what it is about. */
export function log(level: Level, details: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ level, ...details }).replaceAll(UNSAFE, escaped))
}
