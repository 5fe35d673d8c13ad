/** What keeps the service from its work: found by the launcher on the machine, or by SQLite in the database. */

let problem: string | null = null
let refusesWrites = false
let isDamaged = false

/** Whether anything is wrong. */
export const isHealthy = (): boolean => problem === null && !isDamaged

/** @param refuses whether nothing may be written: it would go into a file that is gone */
export function setProblem(sentence: string | null, refuses = false): void {
  problem = sentence
  refusesWrites = refuses
}

/** @throws Error, as SQLite would for a database that it can't open, where what is written would be lost */
export function requireWritable(): void {
  if (refusesWrites) throw new Error(`SQLITE_CANTOPEN: ${problem}`)
}

/** Remembers a database that SQLite finds damaged, until the runtime starts again. */
export function noteFailure(error: unknown): void {
  isDamaged ||= error instanceof Error && /SQLITE_(?:CORRUPT|NOTADB)/.test(error.message)
}
