/** SQL fragments shared by most panels: keys of the view's span, strings of the dictionary, active and visible nodes. */

import { sql, type SQL } from 'drizzle-orm'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { firstKey, literal } from '../sql/encoding.ts'
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
export const nodesOf = ({ ofNodes }: Pick<View, 'ofNodes'>): SQL =>
  ofNodes
    ? sql`(select n.id as node, n.certname, n.latest, n.latest as id, n.state, n.environment, n.good, n.runs, 0 as type
        from nodes n where ${ACTIVE}) as reports`
    : sql`(select n.certname, n.latest, n.good, n.runs, r.*
        from nodes n join reports r on r.id = n.latest where ${ACTIVE}) as reports`

/** Condition that a node `n` is active. */
export const ACTIVE = sql.raw('n.deactivated is null and n.expired is null')

/** The ids of inactive nodes, from an index. */
export const INACTIVE = sql.raw(
  '(select n.id from nodes n where n.deactivated is not null or n.expired is not null)',
)

/** Condition that `reports` are in the view and their nodes are active. */
export const isCounted = ({ where }: View): SQL => sql`${where} and reports.node not in ${INACTIVE}`

/** Nodes whose latest report has a smaller key are silent. */
export const silentKey = ({ now, silentAfter }: View): SQL => keyFrom(now - silentAfter)

/** ` and …`: the condition that the reader may see a node `n`. With a row policy, its latest report must be visible. */
export const andVisibleNode = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql` and exists (select 1 from reports where reports.id = n.latest and ${rowPolicy})`
    : sql``
