/** Stores commands other than reports: updates the row of their node, or only counts them. */

import type { Deactivation, NodeColumns } from '../report/node.ts'
import type { Database } from '../store/database.ts'
import { NEXT_GENERATION } from '../store/generation.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { producerTimestampOf, weekNumber } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import { inLists } from '../store/lists.ts'
import { stringIdText } from '../store/string-id.ts'
import { insertNodes, insertStrings } from './dictionary.ts'

/** ?1 certname, ?2 time. A deactivation older than the node's latest data is stale, and ignored. */
const DEACTIVATE = `update nodes set deactivated = ?2
where certname = ?1 and (deactivated is null or deactivated < ?2)
  and coalesce((select ${producerTimestampOf('r')} from reports r where r.id = nodes.latest) <= ?2, 1)
  and coalesce(catalog_producer_timestamp <= ?2, 1) and coalesce(facts_producer_timestamp <= ?2, 1)`

/**
 * ?1 certname, ?2 producer timestamp, ?3 environment, ?4 time of receipt. Ignores data older than what is stored, but not
 * data of the same time, as PuppetDB does; reactivates a node that became inactive before it.
 */
function updateColumns(which: 'catalog' | 'facts'): string {
  const isCurrent = `coalesce(${which}_producer_timestamp <= ?2, 1)`
  const ifCurrent = (column: string, value: string): string =>
    `${column} = case when ${isCurrent} then ${value} else ${column} end`
  return `update nodes set
  ${ifCurrent(`${which}_environment`, stringIdText('environment', '?3'))},
  ${ifCurrent(`${which}_producer_timestamp`, '?2')},
  ${ifCurrent(`${which}_timestamp`, '?4')},
  deactivated = case when deactivated < ?2 then null else deactivated end,
  expired = case when expired < ?2 then null else expired end
where certname = ?1 and (${isCurrent} or deactivated < ?2 or expired < ?2)`
}

/** A command that changes the row of its node. */
export type NodeChange =
  | { readonly kind: 'deactivation'; readonly deactivation: Deactivation }
  | { readonly kind: 'catalog' | 'facts'; readonly columns: NodeColumns }

/**
 * Carries out changes of nodes' rows in one batch, in their order: stores nodes that are unknown, deactivates them, or stores
 * times and environment of their last catalog or facts.
 *
 * @param receivedAt when the request was accepted, in ms
 */
export async function changeNodes(
  database: Database,
  changes: readonly NodeChange[],
  receivedAt: number,
): Promise<void> {
  const certnames = changes.map((change) =>
    change.kind === 'deactivation' ? change.deactivation.certname : change.columns.certname,
  )
  const columns = changes.flatMap((change) => ('columns' in change ? change.columns : []))
  await database.batch([
    ...insertNodes([...new Set(certnames)]),
    ...newStrings(columns, weekNumber(receivedAt)),
    NEXT_GENERATION,
    ...changes.flatMap((change) => changeStatements(change, receivedAt)),
  ])
}

function changeStatements(change: NodeChange, receivedAt: number): Statement[] {
  if (change.kind === 'deactivation') {
    const { certname, producerTimestamp } = change.deactivation
    return [{ sql: DEACTIVATE, params: [certname, producerTimestamp] }, NEXT_GENERATION]
  }
  const { certname, producerTimestamp, environment } = change.columns
  const params = [certname, producerTimestamp, environment, receivedAt]
  return [{ sql: updateColumns(change.kind), params }]
}

function newStrings(columns: readonly NodeColumns[], week: number): Statement[] {
  const entries = columns.flatMap(({ environment, producer }) =>
    [
      [STRING_KINDS.environment, environment],
      [STRING_KINDS.producer, producer],
    ].filter(([, value]) => value !== null),
  )
  const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]))
  return inLists([...distinct.values()]).map((list) => insertStrings(list, week))
}

const COUNT_IGNORED = `insert into ignored_commands (command, count) values (?1, ?2)
on conflict (command) do update set count = count + excluded.count`

/** Counts commands that are answered but not stored, by their names. */
export async function countIgnored(database: Database, commands: readonly string[]): Promise<void> {
  const counts = new Map<string, number>()
  for (const command of commands) counts.set(command, (counts.get(command) ?? 0) + 1)
  await database.batch([...counts].map((params) => ({ sql: COUNT_IGNORED, params })))
}
