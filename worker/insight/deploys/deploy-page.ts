/** Shows one deploy: a code version in an environment, how far it got, what broke with it, and what it changed. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { commitIn } from '../../report/code-version.ts'
import { nullable, select, text, timestamp } from '../../sql/columns.ts'
import { lastKeyOf, literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { stringId, stringOf } from '../fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import type { View } from '../view.ts'
import { codeVersionsOf, firstKeyOfDeploy } from './code-versions.ts'
import { deployCauses, countCauses, failingAsBefore, type DeployCause } from './deploy-causes.ts'
import { changesOf } from './deploy-changes.ts'
import { brokeNode, deployFacts, type DeployFacts } from './deploy-facts.ts'
import { deployNodeOf, deployNodes, type DeployNode } from './deploy-nodes.ts'
import { verdictOf, type Verdict } from './verdict.ts'
import { returnedTo, standingOf, versionUse, type Standing } from './version-use.ts'
import { definePanel } from '../panel.ts'

/** A resource that changed in a node's first run with the version, and not in its run before. */
export interface DeployChange {
  readonly resource: string
  readonly property: string | null
  readonly nodes: number
  /** Of these, nodes on which the change failed. */
  readonly failed: number
}

export interface DeployPage extends Omit<DeployFacts, 'complete_by' | 'curve'> {
  readonly environment: string
  readonly code_version: string
  /** Producer timestamp of its first report. */
  readonly time: Timestamp
  readonly first_node: string | null
  /** The version of most of its nodes before it; else the one first reported before it, and null without one. */
  readonly replaces: string | null
  /** When that was first reported; null where another version was first reported between them, as with one that nodes went back to. */
  readonly replaces_since: Timestamp | null
  readonly replaced_at: Timestamp | null
  readonly standing: Standing
  /** The version that most nodes have again, where nodes have left this one; null if it is none, or reports name none. */
  readonly returned_to: string | null
  readonly verdict: Verdict
  readonly complete_by: Timestamp | null
  /** The node that broke first. */
  readonly first_broken: { readonly certname: string; readonly time: Timestamp } | null
  /** When nodes first ran it, when those that broke did, and when waiting ones are due; ascending. */
  readonly curve: {
    readonly rolled_out: readonly Timestamp[]
    readonly broke: readonly Timestamp[]
    readonly due: readonly Timestamp[]
  }
  readonly causes: readonly DeployCause[]
  /** Nodes that have the version and fail now, by causes alone that neither began with it nor are new. */
  readonly failing_as_before: number
  readonly changes: readonly DeployChange[]
  /** The same commit in all environments, the first one first. */
  readonly environments: readonly {
    readonly environment: string
    readonly code_version: string
    readonly time: Timestamp
    readonly nodes: number
    readonly of: number
    readonly broke: number
  }[]
}

/** Six statements. @throws NotFound where the environment never reported that version, or the reader may not see it */
export const deployPageRead = (
  view: View,
  { environment, version }: { readonly environment: string; readonly version: string },
): BatchRead<DeployPage> => {
  const deploy = named(view, environment, version)
  return batchRead(
    [
      select(DEPLOY, sql`from ${deploy}`),
      select(
        SAME,
        sql`from ${codeVersionsOf(view)} d where d.version = ${version} or instr(d.version, ${commitIn(version) ?? version}) > 0
          order by d.first limit ${literal(MOST_ENVIRONMENTS)}`,
      ),
      versionUse(view),
      deployNodes(view, deploy, version),
      deployCauses(view, deploy, version),
      changesOf(view, deploy, version),
    ],
    ([[found], same, uses, nodeRows, causeRows, changes]) => {
      if (!found) throw new NotFound('deploy', `${version} of ${environment}`)
      const nodes = nodeRows.map(deployNodeOf)
      const replaced = found.replacedAt === null ? null : Date.parse(found.replacedAt)
      const there = uses.filter((use) => use.environment === environment)
      const standing = standingOf(there, { code_version: version, replaced_at: found.replacedAt })
      const { complete_by, curve, ...facts } = deployFacts(
        nodes,
        {
          deployed: Date.parse(found.time),
          replaced,
          now: view.now,
          isComing: standing === 'current',
        },
        (certname) => nodeGroupOf(view, certname),
      )
      const replaces = codeBefore(nodes, version) ?? found.replaces
      const causes = countCauses(view, causeRows, { nodes, deployed: Date.parse(found.time) })
      const nodesOfCauses = (wanted: 'began' | 'new') =>
        causes.filter((cause) => cause[wanted]).map((cause) => cause.nodes)
      const times = (values: readonly number[]) => values.map((value) => formatTimestamp(value))
      return {
        environment,
        code_version: version,
        time: found.time,
        first_node: found.firstNode,
        replaces,
        replaces_since: replaces === found.replaces ? found.replacesSince : null,
        replaced_at: found.replacedAt,
        standing,
        returned_to: standing === 'left' ? (returnedTo(there)?.code_version ?? null) : null,
        verdict: verdictOf({
          facts: { ...facts, complete_by, curve },
          standing,
          began: nodesOfCauses('began'),
          fresh: nodesOfCauses('new'),
        }),
        ...facts,
        complete_by: complete_by === null ? null : formatTimestamp(complete_by),
        first_broken: firstBroken(nodes),
        curve: {
          rolled_out: times(curve.rolled_out),
          broke: times(curve.broke),
          due: times(curve.due),
        },
        causes,
        failing_as_before: failingAsBefore(causeRows, causes),
        changes,
        environments: same.map((one) => {
          const there = uses.filter((use) => use.environment === one.environment)
          const use = there.find(({ code_version }) => code_version === one.code_version)
          return {
            ...one,
            nodes: use?.nodes ?? 0,
            of: there.reduce((sum, { nodes: some }) => sum + some, 0),
            broke: use?.broke ?? 0,
          }
        }),
      }
    },
  )
}

/** A node of a deploy's environment, as exports have it. */
export interface DeployNodeRow {
  readonly certname: string
  readonly has_it: boolean
  /** Its first run with the version; null if it has not run it. */
  readonly first_run: Timestamp | null
  readonly last_run: Timestamp
  readonly silent: boolean
  readonly failing: boolean
  readonly broke: boolean
}

/** The nodes of a deploy's environment: who has the version, and who not. Empty for an unknown deploy. */
export const deployNodesRead = (
  view: View,
  { environment, version }: { readonly environment: string; readonly version: string },
): BatchRead<readonly DeployNodeRow[]> =>
  batchRead([deployNodes(view, named(view, environment, version), version)], ([rows]) =>
    rows.map((row) => {
      const node = deployNodeOf(row)
      return {
        certname: node.certname,
        has_it: node.hasIt,
        first_run: node.first === null ? null : formatTimestamp(node.first.time),
        last_run: formatTimestamp(node.latest),
        silent: node.silent,
        failing: node.latestFailed,
        broke: brokeNode(node),
      }
    }),
  )

/** The deploy `d`, if it is visible. */
const named = (view: View, environment: string, version: string): SQL =>
  sql`(select * from ${codeVersionsOf(view)} where environment = ${stringId('environment', environment)} and version = ${version}) d`

const previous = (column: string): SQL =>
  sql`(select x.${sql.raw(column)} from code_versions x where x.environment = d.environment and x.first < d.first order by x.first desc limit 1)`

const DEPLOY = {
  time: timestamp(sql`d.first`),
  firstNode: nullable(
    text(
      sql`(select n.certname from reports r join nodes n on n.id = r.node
        where r.id between ${firstKeyOfDeploy} and ${lastKeyOf(sql`d.first`)} and r.environment = d.environment limit 1)`,
    ),
  ),
  replaces: nullable(text(previous('version'))),
  replacesSince: nullable(timestamp(previous('first'))),
  replacedAt: nullable(
    timestamp(
      sql`(select min(x.first) from code_versions x where x.environment = d.environment and x.first > d.first)`,
    ),
  ),
}

const MOST_ENVIRONMENTS = 20

const SAME = {
  environment: text(stringOf(sql`d.environment`)),
  code_version: text(sql`d.version`),
  time: timestamp(sql`d.first`),
}

/** The code version that most nodes which ran the version had before it. */
function codeBefore(nodes: readonly DeployNode[], version: string): string | null {
  const counts = new Map<string, number>()
  for (const { first, codeBefore } of nodes) {
    if (first === null || codeBefore === null || codeBefore === version) continue
    counts.set(codeBefore, (counts.get(codeBefore) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? null
}

function firstBroken(nodes: readonly DeployNode[]): DeployPage['first_broken'] {
  const broken = nodes
    .filter(brokeNode)
    .map(({ certname, first, latest }) => ({ certname, time: first?.time ?? latest }))
    .sort((one, other) => one.time - other.time)
  const [first] = broken
  return first === undefined ? null : { ...first, time: formatTimestamp(first.time) }
}

export const DEPLOY_PANEL = definePanel({
  path: '/deploys/:environment/:version',
  summary:
    'One deploy: how far it got, what broke with it, runs before and after, and what it changed.',
  takes: {},
  read: deployPageRead,
})
