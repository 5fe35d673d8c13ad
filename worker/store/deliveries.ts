/** Messages of hooks: the last ones of each, and those that wait to be sent. */

import type { Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'

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

const COLUMNS = 'd.id, d.hook, d.message, d.created, d.attempts, d.next, d.delivered, d.outcome'

/** The last messages of all hooks, newest first. */
export const deliveriesStatement = (): Statement => ({
  sql: `SELECT ${COLUMNS} FROM deliveries d ORDER BY d.id DESC LIMIT ${MOST_DELIVERIES}`,
  params: [],
})

export const deliveriesOf = (rows: readonly Row[]): Delivery[] =>
  rows.map(([id, hook, message, created, attempts, next, delivered, outcome]) => ({
    id: id as number,
    hook: hook as string,
    message: message as string,
    created: created as number,
    attempts: attempts as number,
    next: next as number | null,
    delivered: delivered as number | null,
    outcome: outcome as string | null,
  }))

/** ?1 hook, ?2 message, ?3 body, ?4 now, ?5 where the hook must stand; null where it doesn't matter. */
const ADD = `INSERT INTO deliveries (hook, message, body, created, attempts, next)
SELECT name, ?2, ?3, CAST(?4 AS INTEGER), 0, CAST(?4 AS INTEGER) FROM hooks
WHERE name = ?1 AND (?5 IS NULL OR cursor = CAST(?5 AS INTEGER)) RETURNING id`
const FORGET_OLD = `DELETE FROM deliveries WHERE hook = ?1 AND id NOT IN
(SELECT id FROM deliveries WHERE hook = ?1 ORDER BY id DESC LIMIT ${MOST_DELIVERIES})`

/** A message to be sent at once, in the place of the oldest. */
export const addDelivery = (
  hook: string,
  { message, body }: { readonly message: string; readonly body: string },
  now: number,
  cursor: number | null,
): Statement[] => [
  { sql: ADD, params: [hook, message, body, now, cursor] },
  { sql: FORGET_OLD, params: [hook] },
]

/** A message with what it takes to send it. */
export interface Outgoing extends Delivery {
  readonly body: string
  readonly url: string
  readonly origin: string
  readonly secret: string
}

const OUTGOING = `SELECT ${COLUMNS}, d.body, h.url, h.origin, h.secret
FROM deliveries d JOIN hooks h ON h.name = d.hook`

async function outgoing(database: Database, statement: Statement): Promise<Outgoing[]> {
  const [rows] = await database.batch([statement])
  return deliveriesOf(rows!).map((delivery, index) => {
    const [body, url, origin, secret] = rows![index]!.slice(8) as [string, string, string, string]
    return { ...delivery, body, url, origin, secret }
  })
}

/** Those whose time has come, oldest first. */
export const readDue = (database: Database, now: number, most: number): Promise<Outgoing[]> =>
  outgoing(database, {
    sql: `${OUTGOING} WHERE d.next <= CAST(?1 AS INTEGER) ORDER BY d.next LIMIT ${most}`,
    params: [now],
  })

/** One of them, whatever has come of it. */
export const readOutgoing = async (database: Database, id: number): Promise<Outgoing | null> => {
  const params = [id]
  const [found] = await outgoing(database, {
    sql: `${OUTGOING} WHERE d.id = CAST(?1 AS INTEGER)`,
    params,
  })
  return found ?? null
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
