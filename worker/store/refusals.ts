/** Stores which commands were refused, by sender, node and reason, and how much was lost in total. */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'
import type { RefusedCommand } from './pending-refusals.ts'

/** Rows that are stored: what was refused last. */
export const MOST_REFUSALS = 200

/** Rows of one sender, so that none hides what others are refused. */
const MOST_OF_A_SENDER = 100

const REFUSAL = {
  /** Empty for requests without valid credentials. */
  sender: text('sender'),
  /** As the sender names the node; empty where it names none. */
  certname: text('certname'),
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

/** ?1 sender, ?2 certname, ?3 reason, ?4 now, ?5 how often. */
const KEEP_REFUSAL = `insert into refusals (sender, certname, reason, first, last, count)
values (?1, ?2, ?3, ${integerOf('?4')}, ${integerOf('?4')}, ${integerOf('?5')})
on conflict (sender, certname, reason) do update set last = excluded.last, count = count + excluded.count`

/** ?1 sender. */
const DROP_OLDEST_OF_SENDER = `delete from refusals where sender = ?1 and (certname, reason) in
  (select certname, reason from refusals where sender = ?1 order by last desc limit -1 offset ${MOST_OF_A_SENDER})`

const DROP_OLDEST = `delete from refusals where (sender, certname, reason) in
  (select sender, certname, reason from refusals order by last desc limit -1 offset ${MOST_REFUSALS})`

/** Writes a row for each refusal and one more, in one batch. @param now in ms */
export async function recordRefusals(
  database: Database,
  refusals: readonly RefusedCommand[],
  now: number,
): Promise<void> {
  const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0)
  const senders = new Set(refusals.map(({ sender }) => sender))
  await database.batch([
    ...refusals.map(({ sender, certname, reason, count }) => ({
      sql: KEEP_REFUSAL,
      params: [sender, certname, reason, now, count],
    })),
    ...[...senders].map((sender) => ({ sql: DROP_OLDEST_OF_SENDER, params: [sender] })),
    { sql: DROP_OLDEST, params: [] },
    { sql: COUNT_LOSSES, params: ['refused commands' satisfies LossKind, count] },
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
