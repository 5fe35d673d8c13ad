/** Stores which commands were refused, by node and sender, and how much was lost in total. */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

/** Pairs of node and sender that are stored: those refused last. */
export const MOST_REFUSALS = 200

const REFUSAL = {
  sender: text('sender'),
  /** Empty where the command names no node. */
  certname: text('certname'),
  /** Reason of the last refusal. */
  reason: text('reason'),
  /** In ms, as `last`. */
  first: integer('first'),
  last: integer('last'),
  count: integer('count'),
}
export type NotedRefusal = RowOf<typeof REFUSAL>

/** The losses that are counted, by their names in metrics. */
export type LossKind = 'refused commands' | 'events left out'

/** ?1 kind, ?2 number. */
const COUNT_LOSSES = `insert into losses (kind, count) values (?1, ${integerOf('?2')})
on conflict (kind) do update set count = count + excluded.count`

/** ?1 sender, ?2 certname, ?3 reason, ?4 now. */
const KEEP_REFUSAL = `insert into refusals (sender, certname, reason, first, last, count)
values (?1, ?2, ?3, ${integerOf('?4')}, ${integerOf('?4')}, 1)
on conflict (sender, certname) do update set reason = excluded.reason, last = excluded.last, count = count + 1`

const DROP_OLDEST = `delete from refusals where (sender, certname) in
  (select sender, certname from refusals order by last desc limit -1 offset ${MOST_REFUSALS})`

/** Writes two rows. @param now in ms */
export async function recordRefusal(
  database: Database,
  { sender, certname, reason }: Pick<NotedRefusal, 'sender' | 'certname' | 'reason'>,
  now: number,
): Promise<void> {
  await database.batch([
    { sql: KEEP_REFUSAL, params: [sender, certname, reason, now] },
    { sql: DROP_OLDEST, params: [] },
    { sql: COUNT_LOSSES, params: ['refused commands' satisfies LossKind, 1] },
  ])
}

/** Writes one row. */
export async function countLeftOut(database: Database, events: number): Promise<void> {
  await database.batch([
    { sql: COUNT_LOSSES, params: ['events left out' satisfies LossKind, events] },
  ])
}

const refusalsStatement = (): TypedStatement<NotedRefusal> =>
  typed(REFUSAL, {
    sql: `select ${selectText(REFUSAL)} from refusals order by last desc, certname`,
    params: [],
  })

/** The last refusal first. */
export const refusalsRead = (): BatchRead<readonly NotedRefusal[]> =>
  batchRead([refusalsStatement()], ([refusals]) => refusals)
