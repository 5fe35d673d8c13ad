/** Says why the runtime can't open the database. Its answer is "internal error"; only its log has SQLite's result code. */

import { shellWord, typed } from './commands.mjs'

const SENTENCES: Readonly<Record<string, (data: string) => string>> = {
  NOTADB: damaged,
  CORRUPT: damaged,
  CANTOPEN: (data) => `The database in ${data} can't be opened.`,
  IOERR: (data) => `The disk that holds ${data} fails: it can be neither read nor written safely.`,
  FULL: (data) => `The disk that holds ${data} is full. Make room, then start the service again.`,
  READONLY: (data) => `The database in ${data} can't be written.`,
}

function damaged(data: string): string {
  return `The database in ${data} is damaged. Restore a backup: ${typed('restore', `FILE --data ${shellWord(data)}`)}`
}

/** A line of the runtime with a result code of SQLite. The Worker's own lines are JSON and may hold words of clients. */
const CODE = /^workerd\/.* SQLITE_([A-Z]+)/

/** @returns a sentence for the first line that gives a reason; null if none does */
export function databaseTrouble(lines: readonly string[], data: string): string | null {
  for (const line of lines) {
    const sentence = SENTENCES[CODE.exec(line)?.[1] ?? '']
    if (sentence !== undefined) return sentence(data)
  }
  return null
}
