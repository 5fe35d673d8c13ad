/** Translates D1's errors by their texts. No other file knows these texts. Source: D1's list of errors, and SQLite's result codes. */

import { QueryError, Unavailable, type Shortage } from '../lib/errors.ts'

/** What a message of D1 or SQLite means. */
interface PlatformError {
  /** A part of the message. */
  readonly text: string
  readonly shortage: Shortage
  /** Whether sending the same idempotent statements again may help; where the database is overloaded, it would make it worse. */
  readonly transient?: boolean
  readonly sentence: string
}

const BUSY =
  'The database is not available right now; try again. Retrying is safe: no report is stored twice.'
const TOO_MUCH =
  'The database gave this up, as it took more time or memory than D1 allows. Nothing was changed. Ask for less, or try again.'
const FULL = 'nothing can be stored until retention has deleted more.'
const OUT_OF_QUERIES =
  "This request needs more database queries than the Worker's plan allows. Ask for less at a time."

const transient = (text: string): PlatformError => ({
  text,
  shortage: 'busy',
  transient: true,
  sentence: BUSY,
})
const failing = (text: string, shortage: Shortage, sentence: string): PlatformError => ({
  text,
  shortage,
  sentence,
})

/** Errors of the platform, the more specific text first. */
const PLATFORM_ERRORS: readonly PlatformError[] = [
  transient('Network connection lost'),
  transient('storage caused object to be reset'),
  transient('reset because its code was updated'),
  transient('Cannot resolve D1 DB due to transient issue'),
  transient("Can't read from request stream because client disconnected"),
  transient('Replica disconnected from primary'),
  // What the runtime says of a failure of its own: its log says which.
  failing('internal error; reference', 'busy', BUSY),
  failing('overloaded', 'busy', BUSY),
  failing('Too many requests queued', 'busy', BUSY),
  failing('storage operation exceeded timeout', 'too much work', TOO_MUCH),
  failing('exceeded its CPU time limit', 'too much work', TOO_MUCH),
  failing('exceeded its memory limit', 'too much work', TOO_MUCH),
  failing('Too many API requests by single', 'no queries left', OUT_OF_QUERIES),
  failing('Too many subrequests', 'no queries left', OUT_OF_QUERIES),
  failing(
    'free tier daily',
    'no queries left',
    'The account has used up the rows that D1 allows in a day on the free plan. The database answers again after 00:00 UTC, or as soon as the account has a paid plan.',
  ),
  failing(
    'Exceeded maximum DB size',
    'full',
    `The database has the largest size that D1 allows: ${FULL}`,
  ),
  failing('maximum account storage limit', 'full', `The account's storage in D1 is full: ${FULL}`),
  failing(
    'SQLITE_FULL',
    'full',
    'The disk of the database is full: nothing can be stored until there is room again.',
  ),
  failing(
    'SQLITE_READONLY',
    'busy',
    "The database can't be written: its files or their folder are read-only.",
  ),
  failing(
    'SQLITE_CANTOPEN',
    'busy',
    "The database can't be opened: its folder is missing or can't be accessed.",
  ),
  failing(
    'SQLITE_IOERR',
    'busy',
    'The disk of the database fails: it can be neither read nor written safely.',
  ),
  ...['SQLITE_CORRUPT', 'SQLITE_NOTADB'].map((text) =>
    failing(text, 'busy', 'The database is damaged: a backup has to be restored.'),
  ),
  ...['no such table', 'no such column'].map((text) =>
    failing(
      text,
      'busy',
      'The database lacks a migration: apply it with `npx wrangler d1 migrations apply DB --remote` (`npm start` does so by itself).',
    ),
  ),
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

const platformErrorOf = (error: unknown): PlatformError | undefined => {
  const message = messageOf(error)
  return PLATFORM_ERRORS.find(({ text }) => message.includes(text))
}

/** Whether sending the same idempotent statements again may help. */
export const isTransient = (error: unknown): boolean => platformErrorOf(error)?.transient ?? false

/** Whether SQLite refused a row because it violates a constraint. */
export const isConstraint = (error: unknown): boolean => /constraint failed/i.test(messageOf(error))

/** Whether the platform refused for that reason. */
export const isShortOf = (error: unknown, shortage: Shortage): boolean =>
  error instanceof Unavailable && error.shortage === shortage

/** Waits for a write that saves work later. A full database refuses it, which costs that work and nothing else. */
export async function unlessFull(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isShortOf(error, 'full')) throw error
  }
}

/** Our error for an error of D1; D1's own error where our code is wrong. */
export function translatedError(error: unknown): unknown {
  const platform = platformErrorOf(error)
  if (platform) return new Unavailable(platform.sentence, platform.shortage)
  const message = messageOf(error)
  const limit = LIMITS.find(([text]) => message.includes(text))
  return limit ? new QueryError(limit[1]) : error
}
