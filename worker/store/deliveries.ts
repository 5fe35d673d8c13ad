/** Messages of hooks: the last ones of each, and those that wait to be sent. */

import { integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

/** So many are kept of each hook, and shown. */
export const MOST_DELIVERIES = 50

export interface Delivery {
  readonly id: number
  readonly hook: string
  readonly message: string
  /** Times in ms. */
  readonly created: number
  readonly attempts: number
  readonly next: number | null
  readonly delivered: number | null
  readonly outcome: string | null
}

const COLUMNS = {
  id: integer('d.id'),
  hook: text('d.hook'),
  message: text('d.message'),
  created: integer('d.created'),
  attempts: integer('d.attempts'),
  next: nullable(integer('d.next')),
  delivered: nullable(integer('d.delivered')),
  outcome: nullable(text('d.outcome')),
}

const deliveriesStatement = (): TypedStatement<Delivery> =>
  typed(COLUMNS, {
    sql: `SELECT ${selectText(COLUMNS)} FROM deliveries d ORDER BY d.id DESC LIMIT ${MOST_DELIVERIES}`,
    params: [],
  })

/** The last messages of all hooks, newest first. */
export const deliveriesRead = (): BatchRead<readonly Delivery[]> =>
  batchRead([deliveriesStatement()], ([deliveries]) => deliveries)

/** ?1 hook, ?2 message, ?3 body, ?4 now, ?5 where the hook must stand, null where it doesn't matter, ?6 when it is due. */
const ADD = `INSERT INTO deliveries (hook, message, body, created, attempts, next)
SELECT name, ?2, ?3, CAST(?4 AS INTEGER), 0, CAST(?6 AS INTEGER) FROM hooks
WHERE name = ?1 AND (?5 IS NULL OR cursor = CAST(?5 AS INTEGER)) RETURNING id`
const DELETE_OLD = `DELETE FROM deliveries WHERE hook = ?1 AND id NOT IN
(SELECT id FROM deliveries WHERE hook = ?1 ORDER BY id DESC LIMIT ${MOST_DELIVERIES})`

const ID = { id: integer('id') }

/** A message that is due at `due`; the oldest beyond MOST_DELIVERIES is deleted. */
export const addDelivery = (
  hook: string,
  { message, body }: { readonly message: string; readonly body: string },
  now: number,
  cursor: number | null,
  due = now,
): readonly [TypedStatement<{ readonly id: number }>, Statement] => [
  typed(ID, { sql: ADD, params: [hook, message, body, now, cursor, due] }),
  { sql: DELETE_OLD, params: [hook] },
]

const OUTGOING = {
  ...COLUMNS,
  body: text('d.body'),
  url: text('h.url'),
  origin: text('h.origin'),
  secret: text('h.secret'),
}
/** A message with what it takes to send it. */
export type Outgoing = RowOf<typeof OUTGOING>

const outgoing = (condition: string, value: number): TypedStatement<Outgoing> =>
  typed(OUTGOING, {
    sql: `SELECT ${selectText(OUTGOING)} FROM deliveries d JOIN hooks h ON h.name = d.hook WHERE ${condition}`,
    params: [value],
  })

/** The messages that are due, oldest first. */
export async function readDue(database: Database, now: number, most: number): Promise<Outgoing[]> {
  const due = outgoing(`d.next <= CAST(?1 AS INTEGER) ORDER BY d.next LIMIT ${most}`, now)
  const [messages] = await database.batch([due])
  return messages
}

const CLAIM = 'UPDATE deliveries SET next = CAST(?2 AS INTEGER) WHERE id = CAST(?1 AS INTEGER)'

/** One message, in whatever state it is, which is not due until then: the caller sends it. */
export async function claimOutgoing(
  database: Database,
  id: number,
  until: number,
): Promise<Outgoing | null> {
  const claim: Statement = { sql: CLAIM, params: [id, until] }
  const message = outgoing('d.id = CAST(?1 AS INTEGER)', id)
  const [, [claimed]] = await database.batch([claim, message])
  return claimed ?? null
}

const NOTE = `UPDATE deliveries SET attempts = CAST(?2 AS INTEGER), next = CAST(?3 AS INTEGER),
delivered = CAST(?4 AS INTEGER), outcome = ?5 WHERE id = CAST(?1 AS INTEGER)`

/** What came of an attempt. */
export const noteAttempt = (
  id: number,
  {
    attempts,
    next,
    delivered,
    outcome,
  }: Pick<Delivery, 'attempts' | 'next' | 'delivered' | 'outcome'>,
): Statement => ({ sql: NOTE, params: [id, attempts, next, delivered, outcome] })
