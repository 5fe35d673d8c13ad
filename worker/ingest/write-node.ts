/** Stores commands other than reports: updates the row of their node, or only counts them. */

import type { Deactivation, NodeColumns } from '../report/node.ts'
import type { Database } from '../store/database.ts'
import { NEXT_GENERATION } from '../store/generation.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { producerTimestampOf, weekNumber } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import { insertNode, insertStrings, stringIdText } from './dictionary.ts'

/** ?1 certname, ?2 time. A deactivation older than the node's latest data is stale, and ignored. */
const DEACTIVATE = `update nodes set deactivated = ?2
where certname = ?1 and (deactivated is null or deactivated < ?2)
  and coalesce((select ${producerTimestampOf('r')} from reports r where r.id = nodes.latest) <= ?2, 1)
  and coalesce(catalog_producer_timestamp <= ?2, 1) and coalesce(facts_producer_timestamp <= ?2, 1)`

/** Deactivates a node, and stores it if it is unknown. */
export async function deactivateNode(
  database: Database,
  { certname, producerTimestamp }: Deactivation,
): Promise<void> {
  await database.batch([
    insertNode(certname),
    NEXT_GENERATION,
    { sql: DEACTIVATE, params: [certname, producerTimestamp] },
  ])
}

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

/** Stores times and environment of a node's last catalog or facts. @param receivedAt when the request was accepted, in ms */
export async function noteNode(
  database: Database,
  which: 'catalog' | 'facts',
  { certname, environment, producer, producerTimestamp }: NodeColumns,
  receivedAt: number,
): Promise<void> {
  await database.batch([
    insertNode(certname),
    ...newStrings({ environment, producer }, weekNumber(receivedAt)),
    NEXT_GENERATION,
    { sql: updateColumns(which), params: [certname, producerTimestamp, environment, receivedAt] },
  ])
}

function newStrings(
  { environment, producer }: Pick<NodeColumns, 'environment' | 'producer'>,
  week: number,
): Statement[] {
  const entries = [
    [STRING_KINDS.environment, environment],
    [STRING_KINDS.producer, producer],
  ].filter(([, value]) => value !== null)
  return entries.length === 0 ? [] : [insertStrings(JSON.stringify(entries), week)]
}

const COUNT_IGNORED = `insert into ignored_commands (command, count) values (?1, 1)
on conflict (command) do update set count = count + 1`

/** Counts a command that is answered but not stored. */
export async function countIgnored(database: Database, command: string): Promise<void> {
  await database.batch([{ sql: COUNT_IGNORED, params: [command] }])
}
