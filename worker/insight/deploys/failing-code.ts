/** Finds the code that fails on a group of nodes now and is still to come to others of the group. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { integer, json, select, text, type RowOf } from '../../sql/columns.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { CauseSummary } from '../causes/cause-list.ts'
import { nodesOf, stringOf } from '../fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import { cellsOfGroup, type FailingCode, type FleetMap } from '../nodes/node-map.ts'
import type { View } from '../view.ts'
import { brokeWith, codeVersionsOf, versionOf } from './code-versions.ts'
import { DEPLOY_RULES } from './deploy-facts.ts'

const BROKEN = {
  certname: text(sql`p.certname`),
  environment: text(stringOf(sql`p.environment`)),
  code_version: text(sql`v.version`),
  since: integer(sql`v.first`),
  /** Names of the causes that its latest run failed by. */
  causes: json<string[], SQL>(
    sql`(select json_group_array(c.name) from report_causes rc indexed by report_causes_report join causes c on c.id = rc.cause where rc.report = p.latest)`,
  ),
}
/** A node that fails now with its environment's newest code, and ran well when that came. */
export type BrokenNode = RowOf<typeof BROKEN>

/** A row for each broken node. */
export const brokenNodesRead = (view: View): BatchRead<readonly BrokenNode[]> =>
  batchRead(
    [
      select(
        BROKEN,
        sql`from (select reports.certname, reports.node, reports.latest, reports.good, r.environment, ${versionOf(sql`r`)} as version
            from ${nodesOf(view)} join reports r on r.id = reports.latest
            where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}) p
          join ${codeVersionsOf(view)} v on v.environment = p.environment and v.version = p.version
          where not exists (select 1 from code_versions x where x.environment = v.environment and x.first > v.first)
            and ${brokeWith(view)}`,
      ),
    ],
    ([rows]) => rows,
  )

/** A code version, and its environment. */
export type CodeOfEnvironment = Pick<BrokenNode, 'environment' | 'code_version'>

/** The code that a cause began with: most nodes that fail by it now broke with it. Null where there is none. */
export function codeOfCause(
  broken: readonly BrokenNode[],
  { cause, failing }: Pick<CauseSummary, 'cause' | 'failing'>,
): CodeOfEnvironment | null {
  const byIt = broken.filter(({ causes }) => cause !== null && causes.includes(cause))
  const counted = Map.groupBy(byIt, ({ environment, code_version }) =>
    JSON.stringify([environment, code_version]),
  )
  const [most] = [...counted.values()].sort((one, other) => other.length - one.length)
  const { unsafeNodes, beganShare } = DEPLOY_RULES
  return most !== undefined &&
    most.length >= unsafeNodes &&
    most.length >= beganShare * (failing ?? Infinity)
    ? most[0]!
    : null
}

/**
 * The code by which most nodes of a group broke. Null where fewer nodes broke than a verdict needs, or
 * where half of the group's nodes run it well: then nobody knows what the next one does.
 */
export function failingCodeOf(
  view: Pick<View, 'nodeGroup'>,
  broken: readonly BrokenNode[],
  map: FleetMap,
): FailingCode | null {
  const counted = Map.groupBy(broken, ({ certname, environment }) =>
    JSON.stringify([nodeGroupOf(view, certname), environment]),
  )
  const [most] = [...counted.values()].sort((one, other) => other.length - one.length)
  if (most === undefined || most.length < DEPLOY_RULES.unsafeNodes) return null
  const { certname, environment, code_version, since } = most[0]!
  const group = nodeGroupOf(view, certname)
  const ran = cellsOfGroup(view, map, group).filter(
    (cell) => cell.environment === environment && cell.latest !== null && cell.latest >= since,
  )
  return most.length < DEPLOY_RULES.failingShare * ran.length
    ? null
    : { group, environment, code_version, since }
}
