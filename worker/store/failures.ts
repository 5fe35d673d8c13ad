/** Translates D1's errors by their texts. No other file knows these texts. */

import { QueryError, Unavailable } from '../lib/errors.ts'

/** Messages of transient errors: sending the same idempotent statement again may help. Source: D1's guide on retrying queries. */
const TRANSIENT = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
]

/** Messages of an overloaded database; sending the statements again would make it worse. */
const OVERLOADED = [
  'overloaded',
  'exceeded its memory limit',
  'exceeded its CPU time limit',
  'Too many requests queued',
  'storage operation exceeded timeout',
]

/** Messages of a database that can't be opened or written, each with a sentence for the sender. Source: SQLite's result codes, D1's list of errors. */
const STORAGE: readonly (readonly [text: string, sentence: string])[] = [
  [
    'SQLITE_FULL',
    'The disk of the database is full: nothing can be stored until there is room again.',
  ],
  [
    'Exceeded maximum DB size',
    'The database has the largest size that D1 allows: nothing can be stored until retention deletes more.',
  ],
  ['SQLITE_READONLY', "The database can't be written: its files or their folder are read-only."],
  ['SQLITE_CANTOPEN', "The database can't be opened: its folder is missing or can't be accessed."],
  ['SQLITE_IOERR', 'The disk of the database fails: it can be neither read nor written safely.'],
]

/** Limits of SQLite and D1 that a query can exceed, each with a sentence for the client. */
const LIMITS: readonly (readonly [text: string, sentence: string])[] = [
  [
    'Expression tree is too large',
    'The query is nested too deeply: SQLite takes expressions of at most 100 levels.',
  ],
  ['parser stack overflow', 'The query is nested too deeply for the SQL parser.'],
  ['statement too long', 'The query is too long: a D1 statement takes 100,000 bytes of SQL.'],
  [
    'too many terms in compound SELECT',
    'The query has too many parts: a D1 compound SELECT takes five terms.',
  ],
  [
    'too many columns',
    'The query has too many columns: D1 takes 100, the fields of order_by and the key among them.',
  ],
  ['too many terms in', 'The query has too many terms in group_by or order_by: D1 takes 100.'],
  ['at most 64 tables in a join', 'The query joins too many tables: SQLite takes 64.'],
  [
    'string or blob too big',
    'A value of the query or of its answer is larger than 2 MB, which is all that D1 takes.',
  ],
  [
    'SQLITE_TOOBIG',
    'The query is too long: a D1 statement takes 100,000 bytes of SQL, and a value 2 MB.',
  ],
  // SQLite also says this where the program of a statement has too many operations.
  ['out of memory', 'The query is too complex for D1, or needs more memory than it has.'],
]

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Whether sending the same idempotent statements again may help. */
export const isTransient = (error: unknown): boolean =>
  TRANSIENT.some((text) => messageOf(error).includes(text))

/** Whether SQLite refused a row because it violates a constraint. */
export const isConstraint = (error: unknown): boolean => /constraint failed/i.test(messageOf(error))

/** Our error for an error of D1; D1's own error where our code is wrong. */
export function translatedError(error: unknown): unknown {
  const message = messageOf(error)
  if (/no such table|no such column/.test(message)) {
    return new Unavailable(
      'The database lacks a migration: apply it with `npx wrangler d1 migrations apply DB --remote` (`npm start` does so by itself).',
    )
  }
  if (isTransient(error) || OVERLOADED.some((text) => message.includes(text))) {
    return new Unavailable(
      'The database is not available right now; try again. Retrying is safe: no report is stored twice.',
    )
  }
  const storage = STORAGE.find(([text]) => message.includes(text))
  if (storage) return new Unavailable(storage[1])
  const limit = LIMITS.find(([text]) => message.includes(text))
  return limit ? new QueryError(limit[1]) : error
}
