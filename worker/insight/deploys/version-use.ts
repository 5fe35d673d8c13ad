/** Counts the nodes that run each code version now, and says from that what a version is to its environment. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { flag, integer, nullable, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { isSilentNode, nodesOf, stringOf } from '../fragments.ts'
import type { View } from '../view.ts'
import {
  codeVersionsOf,
  firstKeyOfDeploy,
  isCached,
  latestVersionOf,
  uncompiledNodes,
  versionOf,
} from './code-versions.ts'
import { firstRuns } from './deploy-nodes.ts'

/** Nodes of an environment whose latest report is of the same code version. */
export interface VersionUse {
  readonly environment: string
  /** Null for reports that name no code version. */
  readonly code_version: string | null
  readonly nodes: number
  readonly failing: number
  readonly silent: number
  /** Nodes that ran the environment's newest version, and have this one again. */
  readonly returned: number
  /** Whether it is the environment's newest version. */
  readonly newest: boolean
}

const USE = {
  environment: text(stringOf(sql`u.environment`)),
  code_version: nullable(text(sql`u.version`)),
  nodes: integer(sql`u.nodes`),
  failing: integer(sql`u.failing`),
  silent: integer(sql`u.silent`),
  returned: integer(sql`u.returned`),
  newest: flag(sql`u.newest`),
}

/** The use of code versions. A version that is none, such as the time of a compilation, is null. */
export const versionUse = (view: View): TypedStatement<RowOf<typeof USE>> =>
  typed(
    USE,
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)}),
      p as materialized (select reports.node, reports.latest from ${nodesOf(view)} where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}),
      ${uncompiledNodes(view)},
      latest as materialized (select p.node, p.latest, r.environment, ${sql.raw(isFailedCode('r.state'))} as failed,
          p.silent, ${isCached(sql`r`)} as cached, ${latestVersionOf} as version
        from (select reports.node, reports.latest, ${isSilentNode(sql`reports`)} as silent from ${nodesOf(view)} where ${view.where}) p
        cross join reports r on r.id = p.latest),
      d as materialized (select * from version c where not exists (select 1 from version x where x.environment = c.environment and x.first > c.first))
      select ${selectList(USE)} from (select p.environment, p.version, count(*) as nodes, sum(p.failed) as failing, sum(p.silent) as silent,
        sum(iif(p.latest >= ${firstKeyOfDeploy} and not p.cached and p.version <> d.version, ${ranNewest(view)}, 0)) as returned,
        max(coalesce(p.version = d.version, 0)) as newest
      from latest p left join d on d.environment = p.environment
      group by 1, 2) u order by u.nodes desc, u.environment, u.version`),
  )

/** Condition that the node `p` ran the version `d`. */
const ranNewest = (view: View): SQL =>
  sql`exists (select 1 from (${firstRuns(view, sql`p.node`, sql`${versionOf(sql`reports`)} = d.version`)}) s where s.has_it)`

/**
 * `current`: the newest version of the environment. `left`: the newest one, when half of the nodes that ran it have other code
 * again, as after a rollback. `back`: the version that most of these nodes have then. `replaced`: any other.
 */
export const STANDINGS = ['current', 'left', 'back', 'replaced'] as const
export type Standing = (typeof STANDINGS)[number]

/** The version that most nodes have again which left the newest one; null where too few left it. @param uses of one environment */
export function returnedTo(uses: readonly VersionUse[]): VersionUse | null {
  const returned = uses.reduce((sum, use) => sum + use.returned, 0)
  const stayed = uses.find(({ newest }) => newest)?.nodes ?? 0
  const [most] = uses.toSorted((one, other) => other.returned - one.returned)
  return most !== undefined && returned > 0 && stayed <= returned ? most : null
}

/** @param uses of the version's environment; of a version that no node has now there is none */
export function standingOf(
  uses: readonly VersionUse[],
  version: { readonly code_version: string; readonly replaced_at: string | null },
): Standing {
  const again = returnedTo(uses)
  if (version.replaced_at === null) return again === null ? 'current' : 'left'
  return again?.code_version === version.code_version ? 'back' : 'replaced'
}
