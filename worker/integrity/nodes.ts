/** Nodes: their rows say of their reports what is so. */

import { STRING_KINDS } from '../schema/tables.ts'
import type { Database } from '../store/database.ts'
import { producerTimestampOf } from '../store/key.ts'
import { runsOf } from '../store/runs.ts'
import type { CheckedPage } from './checked-page.ts'
import { columnsOf } from './columns.ts'
import { RULES_OF_NODE, type StoredNode } from './node-rules.ts'

/** Nodes of a page: all reports of each are looked at. */
const PAGE = 50

const OF_AGENT = 'FROM reports r WHERE r.node = n.id AND r.type = 0'
const isOwn = (key: string): string =>
  `EXISTS (SELECT 1 FROM reports r WHERE r.id = ${key} AND r.node = n.id)`

const LACKS_STRING = ['environment', 'catalog_environment', 'facts_environment']
  .map(
    (column) =>
      `n.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM strings WHERE id = n.${column} AND kind = ${STRING_KINDS.environment})`,
  )
  .join(' OR ')

const COLUMNS: Readonly<Record<keyof StoredNode, string>> = {
  id: 'n.id',
  certname: 'n.certname',
  latest: 'n.latest',
  latestNode: 'l.node',
  latestType: 'l.type',
  latestTime: producerTimestampOf('l'),
  latestState: 'l.state',
  latestEnvironment: 'l.environment',
  greatestTime: `(SELECT max(${producerTimestampOf('r')}) ${OF_AGENT})`,
  lacksString: LACKS_STRING,
  state: 'n.state',
  environment: 'n.environment',
  greatestKey: `(SELECT max(r.id) ${OF_AGENT})`,
  greatestGood: `(SELECT max(r.id) ${OF_AGENT} AND r.state & 3 <> 3)`,
  good: 'n.good',
  newest: 'n.newest',
  ownGood: isOwn('n.good'),
  ownNewest: isOwn('n.newest'),
  runs: 'hex(n.runs)',
  recounted: `hex(${runsOf('n.id')})`,
}

const [SELECTED, asNode] = columnsOf<StoredNode>(COLUMNS)

/** ?1 the node before. */
const READ = `SELECT ${SELECTED}
FROM nodes n LEFT JOIN reports l ON l.id = n.latest WHERE n.id > ?1 ORDER BY n.id LIMIT ${PAGE}`

export async function checkNodes(database: Database, after: number): Promise<CheckedPage> {
  const [rows] = await database.batch([{ sql: READ, params: [after] }])
  const nodes = rows!.map(asNode)
  const problems = nodes.flatMap((node) =>
    RULES_OF_NODE.flatMap(({ invariant, broken }) => {
      const how = broken(node)
      return how === null ? [] : [{ invariant, where: `node ${node.certname} (${node.id})${how}` }]
    }),
  )
  return { checked: nodes.length, problems, next: nodes.length < PAGE ? null : nodes.at(-1)!.id }
}
