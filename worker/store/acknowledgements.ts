/** Stores acknowledgements, and finds the causes that are quiet: acknowledged, not over their time, and not grown. */

import { ACKNOWLEDGEMENT_KEPT_MS, grownFrom } from '../schema/acknowledgement.ts'
import { isFailedCode } from '../schema/states.ts'
import { text, typed } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** The causes of the last runs of active nodes that failed, a row for each node and cause. */
const FAILING = `nodes n cross join report_causes rc indexed by report_causes_report on rc.report = n.latest
  and n.deactivated is null and n.expired is null and ${isFailedCode('n.state')}`

/** SQL that an acknowledgement has neither ended nor been found grown. @param now SQL for the time in ms */
const lasts = (now: string): string => `until > ${now} and back is null`

/** Ids of acknowledged causes with how many nodes fail by them. Reads the nodes only where there is an acknowledgement. */
const counted = (
  now: string,
): string => `select c.id, a.cause as name, a.nodes as acknowledged, coalesce(f.nodes, 0) as nodes
  from acknowledgements a cross join causes c on c.name = a.cause left join (
    select rc.cause, count(*) as nodes from (select 1 from acknowledgements where ${lasts(now)} limit 1) cross join ${FAILING} group by 1
  ) f on f.cause = c.id where ${lasts(now)}`

/** SQL for the ids of the quiet causes, judged by all nodes whatever the reader sees. @param now SQL for the time in ms */
export const quietCauses = (now: string): string =>
  `(select id from (${counted(now)}) where nodes < ${grownFrom('acknowledged')})`

/** ?1 cause, ?2 note, ?3 author, ?4 now, ?5 until. In place of an earlier one. */
const SAVE = `insert into acknowledgements (cause, note, author, created, until, nodes, back)
select c.name, ?2, ?3, ${integerOf('?4')}, ${integerOf('?5')}, (select count(*) from ${FAILING} and rc.cause = c.id), null
from causes c where c.name = ?1
on conflict (cause) do update set note = excluded.note, author = excluded.author, created = excluded.created,
  until = excluded.until, nodes = excluded.nodes, back = null returning cause`

const CAUSE = { cause: text('cause') }

export interface NewAcknowledgement {
  readonly cause: string
  readonly note: string
  readonly author: string
  /** In ms. */
  readonly until: number
}

/** @param now in ms @returns whether there is a cause of that name */
export async function saveAcknowledgement(
  database: Database,
  { cause, note, author, until }: NewAcknowledgement,
  now: number,
): Promise<boolean> {
  const [saved] = await database.batch([
    typed(CAUSE, { sql: SAVE, params: [cause, note, author, now, until] }),
  ])
  return saved.length > 0
}

/** @returns whether there was one */
export async function deleteAcknowledgement(database: Database, cause: string): Promise<boolean> {
  const sql = 'delete from acknowledgements where cause = ?1 returning cause'
  const [deleted] = await database.batch([typed(CAUSE, { sql, params: [cause] })])
  return deleted.length > 0
}

/** The acknowledgement of the cause `c` as a JSON list; null without one. */
export const ACKNOWLEDGEMENT_OF_CAUSE = `(select json_array(a.cause, a.note, a.author, a.created, a.until, a.nodes, a.back)
  from acknowledgements a where a.cause = c.name)`
export type AcknowledgementList = readonly [
  cause: string,
  note: string,
  author: string,
  created: number,
  until: number,
  nodes: number,
  back: number | null,
]

/**
 * Notes which acknowledged causes have grown: they are back, also when they shrink again. Writes nothing where none has.
 *
 * @param now in ms
 */
export async function markGrown(database: Database, now: number): Promise<void> {
  const params = [now]
  const grown = `select name from (${counted('?1')}) where nodes >= ${grownFrom('acknowledged')}`
  const [found] = await database.batch([typed({ name: text('name') }, { sql: grown, params })])
  if (found.length === 0) return
  const names = JSON.stringify(found.map(({ name }) => name))
  await database.batch([
    {
      sql: `update acknowledgements set back = ${integerOf('?1')} where back is null and cause in (select value from json_each(?2))`,
      params: [now, names],
    },
  ])
}

/** Deletes what ended long ago, and what no cause is left of. @param now in ms */
export const deleteOldAcknowledgements = (now: number): Statement => ({
  sql: 'delete from acknowledgements where until < ?1 or cause not in (select name from causes)',
  params: [now - ACKNOWLEDGEMENT_KEPT_MS],
})
