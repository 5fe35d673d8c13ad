/** SQL fragments shared by most panels: keys of the view's span, strings of the dictionary, active and visible nodes. */

import { sql, type SQL } from 'drizzle-orm'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import { firstKey, literal } from '../sql/encoding.ts'
import { clockOff, isSilent, lastHeardOf, newestRun, usualInterval } from '../store/node-life.ts'
import { DEPLOY_RULES } from './deploys/rules.ts'
import type { View } from './view.ts'

/** The least key of reports from that time on, in ms. */
export const keyFrom = (milliseconds: number): SQL => literal(firstKey(Math.ceil(milliseconds)))

/** Condition that a key is within the view's span. */
export const inSpan = (key: SQL, { since, until }: View): SQL =>
  sql`${key} >= ${keyFrom(since)} and ${key} < ${keyFrom(until)}`

/** The string with that id; null for a null id. */
export const stringOf = (id: SQL): SQL =>
  sql`(select string.value from strings string where string.id = ${id})`

/** The id of a string, to compare with; null where the string is not stored. */
export const stringId = (kind: StringKind, value: string): SQL =>
  sql`(select string.id from strings string where string.kind = ${literal(STRING_KINDS[kind])} and string.value = ${value})`

/** The id of the node of that name. */
export const nodeNamed = (certname: string): SQL =>
  sql`(select n.id from nodes n where n.certname = ${certname})`

/**
 * Active nodes as rows called `reports`, so that a condition on reports tests their latest ones: the columns of
 * nodes and those of the report. Includes nodes that never reported if the condition tests only columns of nodes.
 */
export const nodesOf = (view: View): SQL =>
  view.ofNodes
    ? sql`(select n.id as row, n.id as node, n.certname, n.latest, n.latest as id, n.good, n.runs, ${COPIES}, 0 as type,
        ${lifeColumns(view)} from nodes n where ${ACTIVE}) as reports`
    : sql`(select n.id as row, n.certname, n.latest, n.good, n.runs, ${lifeColumns(view)}, r.*
        from nodes n cross join reports r on r.id = n.latest where ${ACTIVE}) as reports`

const COPIES = sql.raw(COPIED_FROM_LATEST.map((column) => `n.${column}`).join(', '))

/** Nodes of one list of `nodeLists`: a list of all would be longer than D1 lets a value be. */
const NODES_PER_LIST = 2000

/**
 * Tables of a WITH clause that is recursive: `listed` has lists of values of all nodes, in rows with the JSON text `lists`, so that
 * each node is read once: grouping reads it twice, and a row for each takes more memory.
 *
 * @param select a SELECT of one JSON text, from `nodesOf` where the condition holds
 */
export const nodeLists = (select: (isInList: (row: SQL) => SQL) => SQL): SQL =>
  sql`list (number) as (select min(id) / ${literal(NODES_PER_LIST)} from nodes
      union all select number + 1 from list where number < (select max(id) / ${literal(NODES_PER_LIST)} from nodes)),
    listed as materialized (select (${select((row) => sql`${row} >= list.number * ${literal(NODES_PER_LIST)} and ${row} < (list.number + 1) * ${literal(NODES_PER_LIST)}`)}) as lists from list)`

/**
 * Columns of a node `n` that SQLite computes where a statement names them: `silent`, `heard`, and in ms `newest_run`, `clock_off` and
 * `interval`, its usual one, by which it is due.
 */
export const lifeColumns = (view: View): SQL =>
  sql`${isSilent(view)} as silent, ${lastHeardOf(view)} as heard, ${newestRun(view)} as newest_run, ${clockOff(view)} as clock_off,
    ${usualInterval(view, DEPLOY_RULES.enoughIntervals)} as interval`

/** Whether a node with these columns is silent; null where it never reported. */
export const isSilentNode = (node: SQL): SQL =>
  sql`iif(${node}.latest is null, null, ${node}.silent)`

/** Condition that a node `n` is active. */
export const ACTIVE = sql.raw('n.deactivated is null and n.expired is null')

/** The ids of inactive nodes, from an index. */
export const INACTIVE = sql.raw(
  '(select n.id from nodes n where n.deactivated is not null or n.expired is not null)',
)

/** Condition that `reports` are in the view and their nodes are active. */
export const isCounted = ({ where }: View): SQL => sql`${where} and reports.node not in ${INACTIVE}`

/** ` and …`: the condition that the reader may see a node `n`. With a row policy, its latest report must be visible. */
export const andVisibleNode = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql` and exists (select 1 from reports where reports.id = n.latest and ${rowPolicy})`
    : sql``

type Visible = Pick<View, 'rowPolicy'>
const KEY = sql.raw('reports.id')

/** A value of the visible run of a node before a key, of the row `reports`; null without one. The node's column must be of another alias. */
export const priorRun = ({ rowPolicy }: Visible, node: SQL, key: SQL, value: SQL = KEY): SQL =>
  sql`(select ${value} from reports indexed by reports_node where reports.node = ${node} and reports.id < ${key}
    and reports.type = 0 and ${rowPolicy} order by reports.id desc limit 1)`

/** The key of the run after it. */
export const nextRun = ({ rowPolicy }: Visible, node: SQL, key: SQL): SQL =>
  sql`(select reports.id from reports indexed by reports_node where reports.node = ${node} and reports.id > ${key}
    and reports.type = 0 and ${rowPolicy} order by reports.id limit 1)`
