/** SQL fragments of panels that list nodes: active nodes as rows, and what they say of their lives. */

import { sql, type SQL } from 'drizzle-orm'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import { literal } from '../sql/encoding.ts'
import { clockOff, isSilent, lastHeardOf, newestRun, usualInterval } from '../store/node-life.ts'
import { DEPLOY_RULES } from './deploys/rules.ts'
import { ACTIVE } from '../outcomes/fragments.ts'
import type { View } from './view.ts'

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
export function lifeColumns(view: View): SQL {
  const { now, silentAfter, rowPolicy } = view
  const known = LIFE_COLUMNS.get(rowPolicy)
  if (known?.now === now && known.silentAfter === silentAfter) return known.columns
  const columns = sql`${isSilent(view)} as silent, ${lastHeardOf(view)} as heard, ${newestRun(view)} as newest_run, ${clockOff(view)} as clock_off,
    ${usualInterval(view, DEPLOY_RULES.enoughIntervals)} as interval`
  LIFE_COLUMNS.set(rowPolicy, { now, silentAfter, columns })
  return columns
}

/** By the row policy: a page asks for nodes through several views, which differ in span and environment alone. */
const LIFE_COLUMNS = new WeakMap<
  SQL,
  { readonly now: number; readonly silentAfter: number; readonly columns: SQL }
>()

/** Whether a node with these columns is silent; null where it never reported. */
export const isSilentNode = (node: SQL): SQL =>
  sql`iif(${node}.latest is null, null, ${node}.silent)`
