/** Nodes with their latest reports and last runs, a page at a time. */

import { sql, type SQL } from 'drizzle-orm'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { MOST_RUNS, runOf } from '../../store/runs.ts'
import { silentKey } from '../fleet-sql.ts'
import { nodesOf, whole, wordOf, type View } from '../fragments.ts'

/** What nodes are chosen and sorted by. */
export interface NodeChoice {
  /** Numbers of states, or null for all; `never` beside them is nodes that never reported. */
  readonly states: readonly number[] | null
  readonly silent: boolean | null
  readonly search: string | null
  readonly sort: keyof typeof SORTS
}

/** What stands before the certname in the order, greatest first; states by rank, real before noop, then silent ones. */
const SORTS = {
  worst: (view: View) =>
    sql`(case when reports.state is null then -1 else (reports.state & 3) * 4 + iif(reports.state & 4, 0, 2) + (reports.latest < ${silentKey(view)}) end)`,
  certname: () => sql`0`,
  time: () => sql`coalesce(reports.latest, -9007199254740991)`,
  seconds: () =>
    sql`coalesce((select r.end_time - r.start_time from reports r where r.id = reports.latest), -9007199254740991)`,
} as const

function chosen(view: View, { states, silent, search }: NodeChoice): SQL {
  const conditions = [
    view.where,
    ...(states ? [sql`reports.state in (${sql.raw(states.join(','))})`] : []),
    ...(silent === null
      ? []
      : [sql`coalesce(reports.latest < ${silentKey(view)}, 0) = ${whole(Number(silent))}`]),
    ...(search === null ? [] : [sql`instr(lower(reports.certname), lower(${search})) > 0`]),
  ]
  return sql.join(conditions, sql` and `)
}

/** Where a page ended: the value sorted by, and the certname. */
export type NodePosition = readonly [value: number, certname: string]

/** How many nodes are chosen. */
export const nodeTotal = (view: View, choice: NodeChoice): Statement =>
  render(sql`select count(*) as c0 from ${nodesOf(view)} where ${chosen(view, choice)}`)

/** A page of NODE_COLUMNS and the value sorted by. */
export function nodePage(
  view: View,
  choice: NodeChoice,
  after: NodePosition | null,
  size: number,
): Statement {
  const value = SORTS[choice.sort](view)
  const behind =
    after === null
      ? sql``
      : sql` and (${value} < ${whole(after[0])} or (${value} = ${whole(after[0])} and reports.certname > ${after[1]}))`
  const page = sql`select reports.certname, reports.node, reports.latest, reports.good, reports.runs, ${value} as value
    from ${nodesOf(view)} where ${chosen(view, choice)}${behind}
    order by value desc, reports.certname limit ${whole(size)}`
  return render(sql`select ${nodeColumns(view)}, p.value as c17 from (${page}) p
    left join reports r on r.id = p.latest order by p.value desc, p.certname`)
}

/** The columns of a node called `p` and its latest report `r`, in the order of `nodeRow` in insight/nodes.ts. */
export const nodeColumns = (view: View): SQL =>
  sql`p.certname as c0, r.state as c1, p.latest as c2, p.latest < ${silentKey(view)} as c3,
    ${wordOf(sql`r.environment`)} as c4, lower(hex(r.hash)) as c5, r.end_time - r.start_time as c6,
    ${wordOf(sql`r.agent_version`)} as c7, ${wordOf(sql`r.code_id`)} as c8, r.configuration_version as c9,
    r.failures as c10, r.successes as c11, r.noops as c12, r.skips as c13,
    ${goodOf(view)} as c14, ${stripOf(view)} as c15, p.node as c16`

/** Key of the last report of the node `p` that did not fail, among those that may be seen. */
export const goodOf = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select reports.id from reports where reports.node = p.node and ${rowPolicy} and reports.state & 3 <> 3 order by reports.id desc limit 1)`
    : sql`p.good`

/** Runs of the node `p` as hex digits, newest first: as its row has them or, under a row policy, those that may be seen. */
const stripOf = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select group_concat(run, '') from (select ${sql.raw(runOf('reports'))} as run from reports
        where reports.node = p.node and ${rowPolicy} order by reports.id desc limit ${whole(MOST_RUNS)}))`
    : sql`hex(p.runs)`
