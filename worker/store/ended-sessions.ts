/** Stores which sessions of the console were signed out, since a copy of their cookie would be good until it expires. */

import { selectText, text, typed } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { Database } from './database.ts'

/** Most sessions stored: of more, those that expire first are forgotten. */
const MOST_SESSIONS = 1000
/** How long an isolate that is a hop away may not notice a sign-out at another one, in ms. */
const FRESH_MS = 30_000

const SIGNATURES = { signature: text('signature') }

/** ?1 signature, ?2 its expiry. */
const END = `insert or ignore into ended_sessions (signature, expires) values (?1, ${integerOf('?2')})`
/** ?1 now. */
const FORGET = `delete from ended_sessions where expires <= ?1 or signature not in
(select signature from ended_sessions order by expires desc limit ${MOST_SESSIONS})`
/** ?1 now. */
const READ = `select ${selectText(SIGNATURES)} from ended_sessions where expires > ?1`

/** A session, by the signature of its cookie, and when it expires, in ms. */
export interface SessionMark {
  readonly signature: string
  readonly expires: number
}

/** Ends a session. @param now in ms */
export async function endStoredSession(
  database: Database,
  { signature, expires }: SessionMark,
  now: number,
): Promise<void> {
  await database.batch([
    { sql: END, params: [signature, expires] },
    { sql: FORGET, params: [now] },
  ])
  database.memory.endedSessions?.signatures.add(signature)
}

/** Whether a session was ended. Reads a database that is a hop away every 30 seconds at most. @param now in ms */
export async function hasEnded(
  database: Database,
  { signature }: SessionMark,
  now: number,
): Promise<boolean> {
  const { memory } = database
  if (database.isBeside || memory.endedSessions === null || now >= memory.endedSessions.until) {
    const [rows] = await database.batch([typed(SIGNATURES, { sql: READ, params: [now] })])
    memory.endedSessions = {
      until: now + FRESH_MS,
      signatures: new Set(rows.map((row) => row.signature)),
    }
  }
  return memory.endedSessions.signatures.has(signature)
}
