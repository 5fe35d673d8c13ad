/** Stores the messages of hooks: the last ones of each hook, and those due to be sent. */

import { integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

/** Messages stored and shown, of each hook. */
export const MOST_DELIVERIES = 50

export interface Delivery {
  readonly id: number
  readonly hook: string
  readonly message: string
  /** What the message says, in one sentence; empty for one of an earlier release. */
  readonly title: string
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
  title: text('d.title'),
  created: integer('d.created'),
  attempts: integer('d.attempts'),
  next: nullable(integer('d.next')),
  delivered: nullable(integer('d.delivered')),
  outcome: nullable(text('d.outcome')),
}

const deliveriesStatement = (): TypedStatement<Delivery> =>
  typed(COLUMNS, {
    sql: `select ${selectText(COLUMNS)} from deliveries d order by d.id desc limit ${MOST_DELIVERIES}`,
    params: [],
  })

/** The last messages of all hooks, newest first. */
export const deliveriesRead = (): BatchRead<readonly Delivery[]> =>
  batchRead([deliveriesStatement()], ([deliveries]) => deliveries)

/** ?1 hook, ?2 message, ?3 body, ?4 now, ?5 the hook's expected cursor, null for any, ?6 due time, ?7 title. */
const ADD = `insert into deliveries (hook, message, body, created, attempts, next, title)
select name, ?2, ?3, ${integerOf('?4')}, 0, ${integerOf('?6')}, ?7 from hooks
where name = ?1 and (?5 is null or cursor = ${integerOf('?5')}) returning id`
const DELETE_OLD = `delete from deliveries where hook = ?1 and id not in
(select id from deliveries where hook = ?1 order by id desc limit ${MOST_DELIVERIES})`

const ID = { id: integer('id') }

/** Adds a message due at `due`, and deletes the hook's oldest beyond MOST_DELIVERIES. */
export const addDelivery = (
  hook: string,
  {
    message,
    title,
    body,
  }: { readonly message: string; readonly title: string; readonly body: string },
  now: number,
  cursor: number | null,
  due = now,
): readonly [TypedStatement<{ readonly id: number }>, Statement] => [
  typed(ID, { sql: ADD, params: [hook, message, body, now, cursor, due, title] }),
  { sql: DELETE_OLD, params: [hook] },
]

const OUTGOING = {
  ...COLUMNS,
  body: text('d.body'),
  url: text('h.url'),
  origin: text('h.origin'),
  secret: text('h.secret'),
}
/** A message with the address and secret of its hook. */
export type Outgoing = RowOf<typeof OUTGOING>

const outgoing = (condition: string, value: number): TypedStatement<Outgoing> =>
  typed(OUTGOING, {
    sql: `select ${selectText(OUTGOING)} from deliveries d cross join hooks h on h.name = d.hook where ${condition}`,
    params: [value],
  })

/** The messages that are due, oldest first. */
export async function readDue(database: Database, now: number, most: number): Promise<Outgoing[]> {
  const due = outgoing(`d.next <= ${integerOf('?1')} order by d.next limit ${most}`, now)
  const [messages] = await database.batch([due])
  return messages
}

const CLAIM = `update deliveries set next = ${integerOf('?2')} where id = ${integerOf('?1')}`

/** Claims one message in any state for the caller to send: it is not due again before `until`. */
export async function claimOutgoing(
  database: Database,
  id: number,
  until: number,
): Promise<Outgoing | null> {
  const claim: Statement = { sql: CLAIM, params: [id, until] }
  const message = outgoing(`d.id = ${integerOf('?1')}`, id)
  const [, [claimed]] = await database.batch([claim, message])
  return claimed ?? null
}

const NOTE = `update deliveries set attempts = ${integerOf('?2')}, next = ${integerOf('?3')},
delivered = ${integerOf('?4')}, outcome = ?5 where id = ${integerOf('?1')}`

/** Stores the result of an attempt. */
export const noteAttempt = (
  id: number,
  {
    attempts,
    next,
    delivered,
    outcome,
  }: Pick<Delivery, 'attempts' | 'next' | 'delivered' | 'outcome'>,
): Statement => ({ sql: NOTE, params: [id, attempts, next, delivered, outcome] })
