/** Lists deploys, newest first: when each code version first ran in an environment, and how many nodes have it and broke. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { flag, integer, nullable, selectList, text, timestamp, typed } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import { answering, batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { FleetCounts } from '../fleet.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'
import { breakagesOf, countBroken, type BrokenCounts } from './breakages.ts'
import { breakages } from '../../outcomes/breakages.ts'
import { codeVersionsOf, firstKeyOfDeploy } from '../../outcomes/code-versions.ts'
import {
  nodesInUse,
  standingOf,
  versionUse,
  versionUses,
  type Standing,
  type VersionUse,
} from './version-use.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

export interface DeploySummary extends BrokenCounts {
  readonly environment: string
  readonly code_version: string
  /** Producer timestamp of its first report in the environment. */
  readonly time: Timestamp
  /** The version that the environment had before; null for its first one. */
  readonly replaces: string | null
  /** When the next version was first reported there; null for the newest one. */
  readonly replaced_at: Timestamp | null
  readonly standing: Standing
  /** Whether reports of the time before it are still stored: otherwise what broke may be forgotten. */
  readonly remembered: boolean
  /** Nodes that have it now, of all nodes of the environment. */
  readonly nodes: number
  readonly of: number
  readonly failing: number
}

export interface DeployList {
  /** Number of deploys in the span, including those beyond the limit. */
  readonly total: number
  readonly items: readonly DeploySummary[]
  /** Code versions of the nodes' latest reports, on most nodes first. */
  readonly in_use: readonly VersionUse[]
}

/** A value of the version before the version `d`. @param column of the versions `version` */
export const previous = (column: 'version' | 'first'): SQL =>
  sql`(select x.${sql.raw(column)} from version x where x.environment = d.environment and x.first < d.first order by x.first desc limit 1)`

/** When the version after the version `d` came. */
export const replacedAt = sql`(select min(x.first) from version x where x.environment = d.environment and x.first > d.first)`

const DEPLOY = {
  environment: text(stringOf(sql`d.environment`)),
  code_version: text(sql`d.version`),
  time: timestamp(sql`d.first`),
  replaces: nullable(text(previous('version'))),
  replaced_at: nullable(timestamp(replacedAt)),
  remembered: flag(sql`coalesce((select min(id) from reports) < ${firstKeyOfDeploy}, 0)`),
}

const TOTALS = { total: integer(sql`d.total`) }

/** The list, and the counts of the nodes that it was made from. */
export interface DeploysOfNodes extends DeployList {
  readonly everywhere: Pick<FleetCounts, 'nodes' | 'environments'>
}

export const deployListRead = (
  view: View,
  options: { readonly limit: number },
): BatchRead<DeployList> =>
  answering(deploysOfNodesRead(view, options), ({ everywhere: _, ...list }) => list)

/** Three statements: the deploys of the span, the use of all code versions now, and what broke. */
export function deploysOfNodesRead(
  view: View,
  { limit }: { readonly limit: number },
): BatchRead<DeploysOfNodes> {
  const columns = { ...DEPLOY, ...TOTALS }
  const deploys = typed(
    columns,
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)})
      select ${selectList(columns)} from (select *, count(*) over () as total from version
      where first >= ${literal(view.since)} and first < ${literal(view.until)}
      order by first desc, version limit ${literal(limit)}) d order by d.first desc, d.version`),
  )
  return batchRead([deploys, versionUse(view), breakages(view)], ([rows, used, broke]) => {
    const uses = versionUses(used)
    const items = rows.map(({ total: _, ...deploy }) => ({
      ...deploy,
      ...usedBy(uses, deploy),
      ...countBroken(breakagesOf(broke, deploy)),
    }))
    return {
      total: rows[0]?.total ?? 0,
      items,
      in_use: uses,
      everywhere: nodesInUse(used),
    }
  })
}

/** The nodes that have a version now. */
function usedBy(
  uses: readonly VersionUse[],
  deploy: Pick<DeploySummary, 'environment' | 'code_version' | 'replaced_at'>,
): Pick<DeploySummary, 'standing' | 'nodes' | 'of' | 'failing'> {
  const there = uses.filter((use) => use.environment === deploy.environment)
  const use = there.find((one) => one.code_version === deploy.code_version)
  return {
    standing: standingOf(there, deploy),
    nodes: use?.nodes ?? 0,
    of: there.reduce((sum, { nodes }) => sum + nodes, 0),
    failing: use?.failing ?? 0,
  }
}

export const DEPLOYS_PANEL = defineListPanel({
  path: '/deploys',
  summary:
    'Code versions, when each first ran in an environment, and how many nodes have it and broke.',
  takes: { limit: limitParameter(50, 500) },
  read: deployListRead,
  columns: [
    'environment',
    'code_version',
    'time',
    'replaces',
    'replaced_at',
    'standing',
    'remembered',
    'nodes',
    'of',
    'failing',
    'broke',
    'broken_now',
    'recovered',
    'broke_silent',
    'broke_deleted',
  ],
})
