/** Reads pages of nodes for the check. */

import { STRING_KINDS } from '../schema/string-kinds.ts'
import { flag, integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { hexOf, producerTimestampOf } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { isNotFailedCode } from '../schema/states.ts'
import { runsOfNode } from '../store/runs.ts'

/** Nodes of a page: the check reads all reports of each. */
export const NODE_PAGE = 50

const OF_AGENT = 'from reports r where r.node = n.id and r.type = 0'
const isOwn = (key: string): string =>
  `exists (select 1 from reports r where r.id = ${key} and r.node = n.id)`

const LACKS_STRING = ['environment', 'catalog_environment', 'facts_environment']
  .map(
    (column) =>
      `n.${column} is not null and not exists (select 1 from strings where id = n.${column} and kind = ${STRING_KINDS.environment})`,
  )
  .join(' or ')

const NODE = {
  id: integer('n.id'),
  certname: text('n.certname'),
  /** The node's latest report, and its node, type, time in ms, state and environment. */
  latest: nullable(integer('n.latest')),
  latestNode: nullable(integer('l.node')),
  latestType: nullable(integer('l.type')),
  latestTime: nullable(integer(producerTimestampOf('l'))),
  latestState: nullable(integer('l.state')),
  latestEnvironment: nullable(integer('l.environment')),
  /** Greatest producer timestamp of the node's agent reports, in ms. */
  greatestTime: nullable(integer(`(select max(${producerTimestampOf('r')}) ${OF_AGENT})`)),
  /** Whether the row refers to a missing string. */
  lacksString: flag(LACKS_STRING),
  state: nullable(integer('n.state')),
  environment: nullable(integer('n.environment')),
  /** Greatest key of the node's agent reports, and of those that did not fail. */
  greatestKey: nullable(integer(`(select max(r.id) ${OF_AGENT})`)),
  greatestGood: nullable(
    integer(`(select max(r.id) ${OF_AGENT} and ${isNotFailedCode('r.state')})`),
  ),
  good: nullable(integer('n.good')),
  newest: nullable(integer('n.newest')),
  /** Whether a report of this node has that key. */
  ownGood: flag(isOwn('n.good')),
  ownNewest: flag(isOwn('n.newest')),
  /** In hex: the runs of the row, and those computed from its reports. */
  runs: nullable(text(hexOf('n.runs'))),
  recounted: nullable(text(hexOf(runsOfNode('n.id')))),
}

/** A node as the check reads it. */
export type StoredNode = RowOf<typeof NODE>

/** ?1 the node before the page. */
const READ = `select ${selectText(NODE)}
from nodes n left join reports l on l.id = n.latest where n.id > ?1 order by n.id limit ${NODE_PAGE}`

export const nodesAfter = (id: number): TypedStatement<StoredNode> =>
  typed(NODE, { sql: READ, params: [id] })
