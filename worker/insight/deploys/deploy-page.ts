/** Shows one deploy: a code version in an environment, how far it got, what broke with it, and what it changed. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { versionIn } from '../../lib/code-version.ts'
import { nullable, selectList, text, timestamp, typed, type RowOf } from '../../sql/columns.ts'
import { lastKeyOf, literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { stringId, stringOf } from '../../outcomes/fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import type { View } from '../view.ts'
import {
  codeVersionsOf,
  firstKeyOfDeploy,
  type CodeOfEnvironment,
} from '../../outcomes/code-versions.ts'
import { breakagesOf, countBroken } from './breakages.ts'
import { breakages, type Breakage } from '../../outcomes/breakages.ts'
import { causesSince, countCauses, type DeployCause } from './deploy-causes.ts'
import { changesIn, changesOf } from './deploy-changes.ts'
import { deployFacts, type DeployFacts } from './deploy-facts.ts'
import { deployNodeOf, deployNodes, type DeployNode } from './deploy-nodes.ts'
import { previous, replacedAt } from './deploy-list.ts'
import { verdictOf, type Verdict } from './verdict.ts'
import {
  returnedTo,
  standingOf,
  versionUse,
  versionUses,
  type Standing,
  type VersionUse,
} from './version-use.ts'
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
  /** When that was first reported; null if other versions came in between, for example after a rollback. */
  readonly replaces_since: Timestamp | null
  readonly replaced_at: Timestamp | null
  readonly standing: Standing
  /** The version that most nodes have again, where nodes have left this one; null if it is none, or reports name none. */
  readonly returned_to: string | null
  readonly verdict: Verdict
  readonly complete_by: Timestamp | null
  /** The node that broke first. */
  readonly first_broken: { readonly certname: string; readonly time: Timestamp } | null
  /** When nodes first ran it, when the runs were that broke, and when waiting ones are due; ascending. */
  readonly curve: {
    readonly rolled_out: readonly Timestamp[]
    readonly broke: readonly Timestamp[]
    readonly due: readonly Timestamp[]
  }
  readonly causes: readonly DeployCause[]
  readonly changes: readonly DeployChange[]
  /** Nodes whose first runs were looked through for them. */
  readonly changes_among: number
  /** The same commit in all environments, the first one first. */
  readonly environments: readonly {
    readonly environment: string
    readonly code_version: string
    readonly time: Timestamp
    readonly nodes: number
    readonly of: number
    readonly broke: number
    readonly broken_now: number
  }[]
}

interface Named {
  readonly environment: string
  /** The version, or a text that names it. */
  readonly version: string
}

/** Six statements. @throws NotFound where the environment never reported that version, or the reader may not see it */
export const deployPageRead = (
  view: View,
  { environment, version: name }: Named,
): BatchRead<DeployPage> => {
  const code = { environment, code_version: versionIn(name) }
  const deploy = named(view, code)
  return batchRead(
    [
      environmentsOf(view, code),
      versionUse(view),
      deployNodes(view, deploy, code),
      causesSince(view, deploy),
      changesOf(view, deploy, code),
      breakages(view, code.code_version),
    ],
    ([same, used, nodeRows, causeRows, changes, everywhere]) => {
      const found = same.find((one) => one.environment === environment)
      if (found === undefined) throw new NotFound('deploy', `${name} of ${environment}`)
      const uses = versionUses(used)
      return {
        ...deployOf(view, found, {
          nodes: nodeRows.map(deployNodeOf),
          broke: breakagesOf(everywhere, code),
          uses: uses.filter((use) => use.environment === environment),
          causeRows,
        }),
        ...changesIn(changes),
        environments: inEnvironments(same, uses, everywhere),
      }
    },
  )
}

/** What a deploy came to in its environment. @param rows of this environment and version */
function deployOf(
  view: View,
  deploy: RowOf<typeof DEPLOY>,
  {
    nodes,
    broke,
    uses,
    causeRows,
  }: {
    readonly nodes: readonly DeployNode[]
    readonly broke: readonly Breakage[]
    readonly uses: readonly VersionUse[]
    readonly causeRows: Parameters<typeof countCauses>[1]
  },
): Omit<DeployPage, 'changes' | 'changes_among' | 'environments'> {
  const { environment, code_version, time } = deploy
  const deployed = Date.parse(time)
  const replaced = deploy.replacedAt === null ? null : Date.parse(deploy.replacedAt)
  const standing = standingOf(uses, { code_version, replaced_at: deploy.replacedAt })
  const { complete_by, curve, ...facts } = deployFacts(
    nodes,
    broke,
    { deployed, replaced, now: view.now, isComing: standing === 'current' },
    (certname) => nodeGroupOf(view, certname),
  )
  const replaces = codeBefore(nodes, code_version) ?? deploy.replaces
  const causes = countCauses(view, causeRows, { breakages: broke, nodes, deployed })
  const times = (values: readonly number[]) => values.map((value) => formatTimestamp(value))
  return {
    environment,
    code_version,
    time,
    first_node: deploy.firstNode,
    replaces,
    replaces_since: replaces === deploy.replaces ? deploy.replacesSince : null,
    replaced_at: deploy.replacedAt,
    standing,
    returned_to: standing === 'left' ? (returnedTo(uses)?.code_version ?? null) : null,
    verdict: verdictOf({
      facts: { ...facts, complete_by, curve },
      standing,
      began: causes.filter(({ began }) => began).map((cause) => cause.nodes),
      otherwise: causes.map(({ otherwise }) => otherwise),
    }),
    ...facts,
    complete_by: complete_by === null ? null : formatTimestamp(complete_by),
    first_broken: firstBroken(broke),
    curve: {
      rolled_out: times(curve.rolled_out),
      broke: times(curve.broke),
      due: times(curve.due),
    },
    causes,
  }
}

/** What became of the version in each environment that has it. */
const inEnvironments = (
  deploys: readonly RowOf<typeof DEPLOY>[],
  uses: readonly VersionUse[],
  everywhere: readonly Breakage[],
): DeployPage['environments'] =>
  deploys.map((one) => {
    const there = uses.filter((use) => use.environment === one.environment)
    const use = there.find(({ code_version }) => code_version === one.code_version)
    const broke = breakagesOf(everywhere, one)
    return {
      environment: one.environment,
      code_version: one.code_version,
      time: one.time,
      nodes: use?.nodes ?? 0,
      of: there.reduce((sum, { nodes }) => sum + nodes, 0),
      broke: broke.length,
      broken_now: countBroken(broke).broken_now,
    }
  })

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
  /** The time of the run that it broke with; null if it did not. */
  readonly broke_at: Timestamp | null
}

/** The nodes of a deploy's environment: who has the version, and who not. Empty for an unknown deploy. */
export const deployNodesRead = (
  view: View,
  { environment, version: name }: Named,
): BatchRead<readonly DeployNodeRow[]> => {
  const code = { environment, code_version: versionIn(name) }
  return batchRead(
    [deployNodes(view, named(view, code), code), breakages(view, code.code_version)],
    ([rows, everywhere]) => {
      const broke = new Map(breakagesOf(everywhere, code).map((one) => [one.certname, one]))
      return rows.map((row) => {
        const node = deployNodeOf(row)
        const breakage = broke.get(node.certname)
        return {
          certname: node.certname,
          has_it: node.hasIt,
          first_run: node.first === null ? null : formatTimestamp(node.first.time),
          last_run: formatTimestamp(node.latest),
          silent: node.silent,
          failing: node.latestFailed,
          broke: breakage !== undefined,
          broke_at: breakage === undefined ? null : formatTimestamp(breakage.time),
        }
      })
    },
  )
}

/** The deploy `d`, if it is visible. */
const named = (view: View, { environment, code_version: version }: CodeOfEnvironment): SQL =>
  sql`(select * from ${codeVersionsOf(view)} where environment = ${stringId('environment', environment)} and version = ${version}) d`

const MOST_ENVIRONMENTS = 20

const DEPLOY = {
  environment: text(stringOf(sql`d.environment`)),
  code_version: text(sql`d.version`),
  time: timestamp(sql`d.first`),
  firstNode: nullable(
    text(
      sql`(select n.certname from reports r cross join nodes n on n.id = r.node
        where r.id between ${firstKeyOfDeploy} and ${lastKeyOf(sql`d.first`)} and r.environment = d.environment limit 1)`,
    ),
  ),
  replaces: nullable(text(previous('version'))),
  replacesSince: nullable(timestamp(previous('first'))),
  replacedAt: nullable(timestamp(replacedAt)),
}

/** The deploys of the version in all environments, the first one first; the one of the environment is among them. */
const environmentsOf = (
  view: View,
  { environment, code_version: version }: CodeOfEnvironment,
): TypedStatement<RowOf<typeof DEPLOY>> =>
  typed(
    DEPLOY,
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)}) select ${selectList(DEPLOY)}
      from (select * from version where version = ${version}
        order by environment = ${stringId('environment', environment)} desc, first limit ${literal(MOST_ENVIRONMENTS)}) d
      order by d.first`),
  )

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

/** Of the earliest failing run: a clock that is off gives its run a key far from its time. */
function firstBroken(broke: readonly Breakage[]): DeployPage['first_broken'] {
  const [first] = broke.toSorted((one, other) => one.time - other.time)
  return first === undefined
    ? null
    : { certname: first.certname, time: formatTimestamp(first.time) }
}

export const DEPLOY_PANEL = definePanel({
  path: '/deploys/:environment/:version',
  summary:
    'One deploy: how far it got, what broke with it, runs before and after, and what it changed.',
  takes: {},
  read: deployPageRead,
})
