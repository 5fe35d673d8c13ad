/** The causes by which nodes fail with a code version, and which of them began with it. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { flag, integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { firstSeen } from '../causes/cause-list.ts'
import { labelOf, sampleOf } from '../causes/cause-sample.ts'
import { nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { isVersion } from './code-versions.ts'
import { brokeNode, DEPLOY_RULES } from './deploy-facts.ts'
import { firstRunOf, type DeployNode } from './deploy-nodes.ts'

/** A cause by which nodes fail with the version, or failed before they got other code. */
export interface DeployCause {
  readonly cause: string
  readonly reason: string
  readonly resource: string | null
  readonly containing_class: string | null
  /** Nodes that have the version and fail by it now. */
  readonly nodes: number
  /** These, and the nodes that have other code by now and failed by it in their first run with the version. */
  readonly failed: number
  /** Of all these, nodes whose run before the version was good. */
  readonly broke: number
  /** Whether the cause began with the deploy: most of its nodes were good before. */
  readonly began: boolean
  /** Whether it was first seen with the deploy or after it, even if its nodes failed otherwise before. */
  readonly new: boolean
}

const causeColumns = (view: View) => ({
  certname: text(sql`p.certname`),
  hasIt: flag(sql`p.has_it`),
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  first: integer(firstSeen(view)),
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  containing_class: nullable(text(sql`s.class`)),
  event: nullable(integer(sql`rc.event`)),
  /** Restricted readers get a label made of it, as the stored one may be of a hidden report. */
  message: nullable(text(view.restricted ? sql`e.message` : sql`null`)),
})
type CauseRow = RowOf<ReturnType<typeof causeColumns>>

/** The causes of the nodes that fail with the version now, or did so before they got other code: a row for each node and cause. */
export const deployCauses = (view: View, deploy: SQL, version: string): TypedStatement<CauseRow> =>
  select(
    causeColumns(view),
    sql`from (select n.certname, n.has_it, iif(n.has_it, n.latest, ${firstRunOf(view, version)}) as run
        from ${deploy} cross join (select reports.node, reports.certname, reports.latest, r.environment, ${isVersion(sql`r`, version)} as has_it
          from ${nodesOf(view)} join reports r on r.id = reports.latest where ${view.where}) n
        where n.environment = d.environment) p
      join reports r on r.id = p.run
      cross join report_causes rc indexed by report_causes_report on rc.report = p.run
      join causes c on c.id = rc.cause left join resources s on s.id = rc.resource
      left join events e on e.report = rc.report and e.n = rc.event
      where ${sql.raw(isFailedCode('r.state'))} order by c.name, p.certname`,
  )

/** Counts the nodes of each cause. A cause began with the deploy if most of its nodes were good before. */
export function countCauses(
  view: View,
  rows: readonly CauseRow[],
  { nodes, deployed }: { readonly nodes: readonly DeployNode[]; readonly deployed: number },
): DeployCause[] {
  const byName = new Map(nodes.map((node) => [node.certname, node]))
  const causes = Map.groupBy(rows, ({ cause }) => cause)
  return [...causes.values()]
    .map((those) => {
      const { cause, resource, containing_class, first, ...row } = those[0]!
      const broke = those.filter(({ certname }) => {
        const node = byName.get(certname)
        return node !== undefined && brokeNode(node)
      }).length
      return {
        cause,
        reason: labelOf(view, { ...row, resource }, sampleOf(row)),
        resource,
        containing_class,
        nodes: those.filter(({ hasIt }) => hasIt).length,
        failed: those.length,
        broke,
        began: broke >= DEPLOY_RULES.beganShare * those.length,
        new: first >= deployed,
      }
    })
    .sort(
      (one, other) =>
        other.nodes - one.nodes || other.failed - one.failed || (one.cause < other.cause ? -1 : 1),
    )
}

/** The number of nodes that fail by older causes alone. */
export function failingAsBefore(rows: readonly CauseRow[], causes: readonly DeployCause[]): number {
  const later = new Set(causes.filter((one) => one.began || one.new).map(({ cause }) => cause))
  const now = rows.filter(({ hasIt }) => hasIt)
  const failing = new Set(now.map(({ certname }) => certname))
  for (const { certname, cause } of now) if (later.has(cause)) failing.delete(certname)
  return failing.size
}
