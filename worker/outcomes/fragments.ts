/** SQL fragments about runs and nodes: keys of the view's span, strings of the dictionary, active and visible nodes, neighbouring runs. */

import { sql, type SQL } from 'drizzle-orm'
import { isNotFailedCode } from '../schema/states.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { firstKey, literal } from '../sql/encoding.ts'
import type { Runs, View } from './view.ts'

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

/** Condition that a node `n` is active. */
export const ACTIVE = sql.raw('n.deactivated is null and n.expired is null')

/** The ids of inactive nodes, from an index. */
export const INACTIVE = sql.raw(
  '(select n.id from nodes n where n.deactivated is not null or n.expired is not null)',
)

/** Condition that `reports` are in the view and their nodes are active. */
export const isCounted = ({ where }: Runs): SQL => sql`${where} and reports.node not in ${INACTIVE}`

/** ` and …`: the condition that the reader may see a node `n`. With a row policy, its latest report must be visible. */
export const andVisibleNode = ({ restricted, rowPolicy }: Runs): SQL =>
  restricted
    ? sql` and exists (select 1 from reports where reports.id = n.latest and ${rowPolicy})`
    : sql``

type Visible = Pick<Runs, 'rowPolicy'>
const KEY = sql.raw('reports.id')

/** A value of the visible run of a node before a key, of the row `reports`; null without one. The node's column must be of another alias. */
export const priorRun = ({ rowPolicy }: Visible, node: SQL, key: SQL, value: SQL = KEY): SQL =>
  sql`(select ${value} from reports indexed by reports_node where reports.node = ${node} and reports.id < ${key}
    and reports.type = 0 and ${rowPolicy} order by reports.id desc limit 1)`

/** The key of the run after it. */
export const nextRun = ({ rowPolicy }: Visible, node: SQL, key: SQL): SQL =>
  sql`(select reports.id from reports indexed by reports_node where reports.node = ${node} and reports.id > ${key}
    and reports.type = 0 and ${rowPolicy} order by reports.id limit 1)`

/** Key of the last visible report of the node `p` that did not fail. */
export const lastGoodOf = ({ restricted, rowPolicy }: Runs): SQL =>
  restricted
    ? sql`(select reports.id from reports where reports.node = p.node and ${rowPolicy} and ${sql.raw(isNotFailedCode('reports.state'))} order by reports.id desc limit 1)`
    : sql`p.good`
