/** Lists deploys, newest first: when each code version first ran in an environment, and how many nodes have it and broke. */

import { sql } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { integer, nullable, select, text, timestamp } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { stringOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { codeVersionsOf } from './code-versions.ts'
import { standingOf, versionUse, type Standing, type VersionUse } from './version-use.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

export interface DeploySummary {
  readonly environment: string
  readonly code_version: string
  /** Producer timestamp of its first report in the environment. */
  readonly time: Timestamp
  /** The version that the environment had before; null for its first one. */
  readonly replaces: string | null
  /** When the next version was first reported there; null for the newest one. */
  readonly replaced_at: Timestamp | null
  readonly standing: Standing
  /** Nodes that have it now, of all nodes of the environment. */
  readonly nodes: number
  readonly of: number
  readonly failing: number
  /** Nodes that fail now with it, and ran well when it came. */
  readonly broke: number
}

export interface DeployList {
  /** Number of deploys in the span, including those beyond the limit. */
  readonly total: number
  readonly items: readonly DeploySummary[]
  /** Code versions of the nodes' latest reports, on most nodes first. */
  readonly in_use: readonly VersionUse[]
}

const DEPLOY = {
  environment: text(stringOf(sql`d.environment`)),
  code_version: text(sql`d.version`),
  time: timestamp(sql`d.first`),
  replaces: nullable(
    text(
      sql`(select x.version from code_versions x where x.environment = d.environment and x.first < d.first order by x.first desc limit 1)`,
    ),
  ),
  replaced_at: nullable(
    timestamp(
      sql`(select min(x.first) from code_versions x where x.environment = d.environment and x.first > d.first)`,
    ),
  ),
}

const TOTALS = { total: integer(sql`d.total`) }

/** Two statements: the deploys of the span, and the use of all code versions now. */
export function deployListRead(
  view: View,
  { limit }: { readonly limit: number },
): BatchRead<DeployList> {
  const deploys = select(
    { ...DEPLOY, ...TOTALS },
    sql`from (select *, count(*) over () as total from ${codeVersionsOf(view)}
      where first >= ${literal(view.since)} and first < ${literal(view.until)}
      order by first desc, version limit ${literal(limit)}) d order by d.first desc, d.version`,
  )
  return batchRead([deploys, versionUse(view)], ([rows, uses]) => ({
    total: rows[0]?.total ?? 0,
    items: rows.map(({ total: _, ...deploy }) => ({ ...deploy, ...usedBy(uses, deploy) })),
    in_use: uses,
  }))
}

/** The nodes that have a version now. */
function usedBy(
  uses: readonly VersionUse[],
  deploy: Pick<DeploySummary, 'environment' | 'code_version' | 'replaced_at'>,
): Omit<DeploySummary, keyof typeof DEPLOY> {
  const there = uses.filter((use) => use.environment === deploy.environment)
  const use = there.find((one) => one.code_version === deploy.code_version)
  return {
    standing: standingOf(there, deploy),
    nodes: use?.nodes ?? 0,
    of: there.reduce((sum, { nodes }) => sum + nodes, 0),
    failing: use?.failing ?? 0,
    broke: use?.broke ?? 0,
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
    'nodes',
    'of',
    'failing',
    'broke',
  ],
})
