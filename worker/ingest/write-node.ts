/** What commands other than reports change: the row of their node, or nothing but a count. */

import type { Deactivation, NodeColumns } from '../report/node.ts'
import { STRING_KINDS } from '../schema/tables.ts'
import type { Database } from '../store/database.ts'
import { producerTimestampOf } from '../store/key.ts'

// OR IGNORE would draw an id before it ignores, and write that down: a row, for nothing.
const INSERT_NODE = `INSERT INTO nodes (certname)
SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE certname = ?1)`
const INSERT_WORD = 'INSERT OR IGNORE INTO strings (kind, value) VALUES (?1, ?2)'

/** ?1 certname, ?2 time. A deactivation that is older than anything known of the node is stale. */
const DEACTIVATE = `UPDATE nodes SET deactivated = ?2
WHERE certname = ?1 AND (deactivated IS NULL OR deactivated < ?2)
  AND coalesce((SELECT ${producerTimestampOf('r')} FROM reports r WHERE r.id = nodes.latest) <= ?2, 1)
  AND coalesce(catalog_timestamp <= ?2, 1) AND coalesce(facts_timestamp <= ?2, 1)`

/** Deactivates a node; one that was unknown becomes known by it. */
export async function deactivateNode(
  database: Database,
  { certname, producerTimestamp }: Deactivation,
): Promise<void> {
  await database.batch([
    { sql: INSERT_NODE, params: [certname] },
    { sql: DEACTIVATE, params: [certname, producerTimestamp] },
  ])
}

/** ?1 certname, ?2 time, ?3 environment. Only what is newer counts; a node that was inactive before it wakes. */
const updateColumns = (which: 'catalog' | 'facts'): string => `UPDATE nodes SET
  ${which}_environment = CASE WHEN coalesce(${which}_timestamp < ?2, 1)
    THEN (SELECT id FROM strings WHERE kind = ${STRING_KINDS.environment} AND value = ?3) ELSE ${which}_environment END,
  ${which}_timestamp = CASE WHEN coalesce(${which}_timestamp < ?2, 1) THEN ?2 ELSE ${which}_timestamp END,
  deactivated = CASE WHEN deactivated < ?2 THEN NULL ELSE deactivated END,
  expired = CASE WHEN expired < ?2 THEN NULL ELSE expired END
WHERE certname = ?1 AND (coalesce(${which}_timestamp < ?2, 1) OR deactivated < ?2 OR expired < ?2)`

/** Notes when and for which environment a node last had a catalog, or sent facts. */
export async function noteNode(
  database: Database,
  which: 'catalog' | 'facts',
  { certname, environment, producer, producerTimestamp }: NodeColumns,
): Promise<void> {
  await database.batch([
    { sql: INSERT_NODE, params: [certname] },
    ...wordStatements({ environment, producer }),
    { sql: updateColumns(which), params: [certname, producerTimestamp, environment] },
  ])
}

const wordStatements = (words: Readonly<Record<'environment' | 'producer', string | null>>) =>
  Object.entries(words).flatMap(([kind, value]) =>
    value === null
      ? []
      : [{ sql: INSERT_WORD, params: [STRING_KINDS[kind as 'environment' | 'producer'], value] }],
  )

const COUNT_IGNORED = `INSERT INTO ignored_commands (command, count) VALUES (?1, 1)
ON CONFLICT (command) DO UPDATE SET count = count + 1`

/** Counts a command that is answered but not kept. */
export async function countIgnored(database: Database, command: string): Promise<void> {
  await database.batch([{ sql: COUNT_IGNORED, params: [command] }])
}
