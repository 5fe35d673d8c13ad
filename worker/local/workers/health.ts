/** What keeps the service from its work: found by the launcher on the machine, or by SQLite in the database. */

let problem: string | null = null
let refusesWrites = false
let isDamaged = false

/** What SQLite says of a damaged database. */
export const DAMAGED = 'SQLITE_CORRUPT'

/** Why the object was ended with what it was asked: it may say less than what is known of the database. */
export const causeOfEnd = (error: unknown): unknown => (isDamaged ? new Error(DAMAGED) : error)

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

/** Remembers that the database is damaged, until the runtime starts again. @returns whether that is new */
export function noteDamage(): boolean {
  const isNew = !isDamaged
  isDamaged = true
  return isNew
}

/** Remembers a database that SQLite finds damaged. @returns whether this is the first time */
export const noteFailure = (error: unknown): boolean =>
  error instanceof Error && /SQLITE_(?:CORRUPT|NOTADB)/.test(error.message) && noteDamage()
