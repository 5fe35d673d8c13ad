/** Counts the nodes that run each code version now, and says from that what a version is to its environment. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { STRING_KINDS } from '../../schema/string-kinds.ts'
import { json, nullable, selectList, typed, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import {
  decodeNode,
  ENVIRONMENT_NAMES,
  groupsOf,
  nodeCode,
  nodesByEnvironment,
  type FleetCounts,
} from '../fleet.ts'
import { nodeLists, nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import {
  codeVersionsOf,
  firstKeyOfDeploy,
  isCached,
  latestVersionOf,
  uncompiledNodes,
  versionOf,
} from '../../outcomes/code-versions.ts'
import { RUNS_SEARCHED } from './deploy-nodes.ts'

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

/** Of nodes, in one order. */
type Lists = readonly [
  nodes: readonly number[],
  /** As `nodeCode` has them. */
  coded: readonly number[],
  codes: readonly (Code | null)[],
  /** Sums of MARKS. */
  marks: readonly number[],
]
/** What a report names: the id of its code id, else its configuration version. */
type Code = number | string
/** `ran`: of a node that may have another version again, whether it ran the newest. */
const MARKS = { cached: 1, ran: 2 } as const

/** Nodes, the names of codes, and what runs belong to that did not compile: rows of either kind. */
const USE = {
  lists: nullable(json<Lists, SQL>(sql`u.lists`)),
  named: nullable(
    json<readonly [environment: number, codeId: number | null, text: string, version: string], SQL>(
      sql`u.named`,
    ),
  ),
  uncompiled: nullable(
    json<readonly [node: number, version: string | null], SQL>(sql`u.uncompiled`),
  ),
  /** The newest version of each environment, by its id. */
  newest: json<Readonly<Record<number, string>>, SQL>(
    sql`(select json_group_object(environment, version) from d)`,
  ),
  environments: ENVIRONMENT_NAMES,
}

const CODE_ID = sql`(select s.id from strings s where s.kind = ${literal(STRING_KINDS.codeId)} and s.value = c.version)`

/** The rows of which `versionUses` counts the use of code versions. */
export const versionUse = (view: View): TypedStatement<RowOf<typeof USE>> =>
  typed(
    USE,
    render(sql`with recursive version as materialized (select * from ${codeVersionsOf(view)}),
      d as materialized (select * from version c where not exists (select 1 from version x where x.environment = c.environment and x.first > c.first)),
      named as materialized (select c.environment, ${CODE_ID} as id, c.version as text, coalesce(c.name, c.version) as version from code_versions c),
      current as (select named.* from d cross join named on named.environment = d.environment and named.version = d.version),
      p as materialized (select reports.node, reports.latest, reports.state from ${nodesOf(view)} where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}),
      ${uncompiledNodes(view)},
      seen as (select reports.*, ${NEWEST_KEYS} ->> ('$."' || reports.environment || '"') as since
        from ${nodesOf(view)} where ${view.where}),
      marked as (select p.row, p.node, ${nodeCode(sql`p`)} as coded, ${codeOf('p')} as code,
          ${isCached(sql`p`)} * ${literal(MARKS.cached)}
            + iif(p.latest >= p.since and (p.node in (select node from uncompiled) or not ${isCurrent('p')} and ${versionOf(sql`p`)} is not null), ${ranNewest(view)}, 0) * ${literal(MARKS.ran)} as marks
        from seen p),
      ${nodeLists(
        (isInList) =>
          sql`select json_array(json_group_array(p.node), json_group_array(p.coded), json_group_array(p.code), json_group_array(p.marks))
            from marked as p where ${isInList(sql`p.row`)}`,
      )}
      select ${selectList(USE)} from (
        select lists, null as named, null as uncompiled from listed
        union all select null, json_array(environment, id, text, version), null from named
        union all select null, null, json_array(p.node, ${latestVersionOf}) from uncompiled p cross join reports r on r.id = p.latest) u`),
  )

const codeOf = (alias: string): SQL =>
  sql.raw(`coalesce(${alias}.code_id, ${alias}.configuration_version)`)

/** The codes of the newest versions, each after its environment: read once, as a text. */
const CURRENT = sql`(select group_concat(char(1) || environment || ' ' || code || char(1), '') from
  (select environment, text as code from current union all select environment, id from current where id is not null))`
/** Whether the run of that alias is of its environment's newest version; null where no environment has any. */
const isCurrent = (alias: string): SQL =>
  sql`instr(${CURRENT}, char(1) || ${sql.raw(alias)}.environment || ' ' || ${codeOf(alias)} || char(1)) > 0`

/** The least key since each environment got its newest version: read once, as an object. */
const NEWEST_KEYS = sql`(select json_group_object(d.environment, ${firstKeyOfDeploy}) from d)`

/** Whether one of the first runs of the node `p` since then is of the newest version. */
const ranNewest = (view: View): SQL =>
  sql`exists (select 1 from (select ${isCurrent('reports')} as has_it from reports indexed by reports_node
    where reports.node = p.node and reports.id >= p.since and reports.environment = p.environment and reports.type = 0 and ${view.rowPolicy}
    order by reports.id limit ${literal(RUNS_SEARCHED)}) where has_it)`

/** The use of code versions, those on most nodes first. A version that is none, such as the time of a compilation, is null. */
export function versionUses(rows: readonly RowOf<typeof USE>[]): readonly VersionUse[] {
  const versions = new Map<string, string>()
  const belongs = new Map<number, string | null>()
  for (const { named, uncompiled } of rows) {
    if (uncompiled !== null) belongs.set(...uncompiled)
    if (named === null) continue
    const [environment, codeId, text, version] = named
    versions.set(keyOf(environment, text), version)
    if (codeId !== null) versions.set(keyOf(environment, codeId), version)
  }
  const counted = new Map<string, Counted>()
  for (const { lists, environments, newest: newestOf } of rows) {
    if (lists === null) continue
    const [nodes, coded, codes, marks] = lists
    for (const [index, node] of nodes.entries()) {
      const { environment, run, silent } = decodeNode(coded[index]!)
      if (run === null) continue
      const mark = marks[index]!
      const known = belongs.get(node)
      const version =
        known === undefined ? (versions.get(keyOf(environment, codes[index] ?? 0)) ?? null) : known
      const newest = version !== null && newestOf[environment] === version
      const key = keyOf(environment, version ?? 0)
      const use = counted.get(key) ?? {
        environment: environments[environment]!,
        code_version: version,
        nodes: 0,
        failing: 0,
        silent: 0,
        returned: 0,
        newest,
      }
      counted.set(key, use)
      use.nodes++
      if (run.state === 'failed') use.failing++
      if (silent) use.silent++
      if (mark & MARKS.ran && !(mark & MARKS.cached) && version !== null && !newest) use.returned++
    }
  }
  return [...counted.values()].sort(
    (one, other) =>
      other.nodes - one.nodes ||
      compared(one.environment, other.environment) ||
      compared(one.code_version ?? '', other.code_version ?? ''),
  )
}

/** The counts of all nodes of the view, also those that never reported, from the same rows. */
export const nodesInUse = (
  rows: readonly RowOf<typeof USE>[],
): Pick<FleetCounts, 'nodes' | 'environments'> =>
  nodesByEnvironment(
    groupsOf(
      rows.flatMap(({ lists }) => lists?.[1] ?? []),
      rows[0]?.environments ?? {},
    ),
  )

type Counted = { -readonly [Name in keyof VersionUse]: VersionUse[Name] }

/** Of a code or a version in an environment; no text is a number. */
const keyOf = (environment: number, code: Code): string =>
  typeof code === 'number' ? `${environment}#${code}` : `${environment} ${code}`

const compared = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

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
