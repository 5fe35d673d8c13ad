/** The causes by which nodes broke with a code version, or fail otherwise since. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { integer, nullable, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { firstSeen } from '../causes/first-seen.ts'
import { labelOf, sampleOf } from '../causes/cause-sample.ts'
import { nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { codeThatBegan, failingBecauseOf } from './breakages.ts'
import type { Breakage } from '../../outcomes/breakages.ts'
import { firstKeyOfDeploy } from '../../outcomes/code-versions.ts'
import type { DeployNode } from './deploy-nodes.ts'

export interface DeployCause {
  readonly cause: string
  readonly reason: string
  readonly resource: string | null
  readonly containing_class: string | null
  /** Nodes that broke with the version by it. */
  readonly broke: number
  /** Of these, nodes that fail by it now. */
  readonly nodes: number
  /** Nodes that failed before the version, and fail by it since, which they never did before. */
  readonly otherwise: number
  /** Whether it began with the version: most nodes that fail by it now broke with the version by it. */
  readonly began: boolean
  /** Whether it was first seen with the deploy or after it. */
  readonly new: boolean
}

const columns = (view: View) => ({
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  first: nullable(integer(firstSeen(view))),
  /** Nodes whose latest run fails by it. */
  failing: integer(sql`(select count(*) from failing where failing.cause = c.id)`),
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  containing_class: nullable(text(sql`s.class`)),
  event: nullable(integer(sql`rc.event`)),
  /** Restricted readers get a label made of it, as the stored one may be of a hidden report. */
  message: nullable(text(view.restricted ? sql`e.message` : sql`null`)),
})
type CauseRow = RowOf<ReturnType<typeof columns>>

const failingNodes = (view: View): SQL =>
  sql`select rc.cause from ${nodesOf(view)} cross join report_causes rc indexed by report_causes_report on rc.report = reports.latest
    where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}`

/** All causes by which nodes failed since the deploy `d`. */
export const causesSince = (view: View, deploy: SQL): TypedStatement<CauseRow> =>
  typed(
    columns(view),
    render(sql`with failing as materialized (${failingNodes(view)}) select ${selectList(columns(view))} from ${deploy} cross join causes c cross join report_causes rc on rc.cause = c.id and rc.report = (select reports.id from report_causes x
          cross join reports on reports.id = x.report where x.cause = c.id and x.report >= ${firstKeyOfDeploy} and ${view.rowPolicy} order by x.report limit 1)
      left join resources s on s.id = rc.resource left join events e on e.report = rc.report and e.n = rc.event order by c.name`),
  )

/** @param breakages of the version in its environment */
export function countCauses(
  view: View,
  rows: readonly CauseRow[],
  {
    breakages,
    nodes,
    deployed,
  }: {
    readonly breakages: readonly Breakage[]
    readonly nodes: readonly DeployNode[]
    readonly deployed: number
  },
): DeployCause[] {
  return rows
    .map(({ cause, resource, containing_class, first, failing, ...row }) => ({
      cause,
      reason: labelOf(view, { ...row, resource }, sampleOf(row)),
      resource,
      containing_class,
      broke: breakages.filter(({ causes }) => causes.includes(cause)).length,
      nodes: failingBecauseOf(breakages, cause).length,
      otherwise: nodes.filter(({ otherwise }) => otherwise.includes(cause)).length,
      began: codeThatBegan(breakages, { cause, failing }) !== null,
      new: first !== null && first >= deployed,
    }))
    .filter(({ broke, otherwise }) => broke > 0 || otherwise > 0)
    .sort(
      (one, other) =>
        other.nodes - one.nodes ||
        other.broke - one.broke ||
        other.otherwise - one.otherwise ||
        (one.cause < other.cause ? -1 : 1),
    )
}
