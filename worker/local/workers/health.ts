/** What keeps the service from its work: found by the launcher on the machine, or by SQLite in the database. */

let problem: string | null = null
let isDamaged = false

/** Whether anything is wrong. */
export const isHealthy = (): boolean => problem === null && !isDamaged

/** @param sentence what the launcher found; null if nothing is wrong any more */
export function setProblem(sentence: string | null): void {
  problem = sentence
}

/** Remembers a database that SQLite finds damaged, until the runtime starts again. */
export function noteFailure(error: unknown): void {
  isDamaged ||= error instanceof Error && /SQLITE_(?:CORRUPT|NOTADB)/.test(error.message)
}
