/** Reads how each node of an environment took a code version: its last run before, its first run with it, and its latest run. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailed, isFailedCode } from '../../schema/states.ts'
import {
  flag,
  integer,
  json,
  keyTime,
  nullable,
  selectList,
  text,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { unpackRuns, type PackedRun } from '../../store/runs.ts'
import { priorRun } from '../../outcomes/fragments.ts'
import { isSilentNode, nodesOf } from '../fragments.ts'
import { packedRuns } from '../nodes/run-strip.ts'
import type { View } from '../view.ts'
import {
  firstKeyOfDeploy,
  codeVersionsOf,
  isCached,
  latestVersionOf,
  isVersion,
  uncompiledNodes,
  versionOf,
  type CodeOfEnvironment,
} from '../../outcomes/code-versions.ts'

/** Runs of a node since the deploy that are looked through for the first one with the new version. */
export const RUNS_SEARCHED = 8
/** Runs of a node before its first one with the version in which its reasons are looked for: two weeks of half-hourly runs. */
const RUNS_BEFORE = 700
/** Strips are read of at most about so many nodes, evenly chosen. */
const MOST_STRIPS = 1000

/** One run of a node, as far as deploys compare it. */
export interface DeployRun {
  readonly failed: boolean
  readonly seconds: number
  /** Resources that it changed. */
  readonly changes: number
}

/** A node of the deploy's environment. Times in ms. */
export interface DeployNode {
  readonly certname: string
  readonly silent: boolean
  /** Of the latest run. */
  readonly latest: number
  /** Its usual time between two runs; null with too few. */
  readonly interval: number | null
  readonly latestFailed: boolean
  /** Whether the latest run is of the version. */
  readonly runsIt: boolean
  /** Whether it belongs to it: also where its catalog did not compile. */
  readonly hasIt: boolean
  /** The first run with the version; null if it has not run it, or not within its first runs since the deploy. */
  readonly first: (DeployRun & { readonly time: number }) | null
  /** The last run before that, or before the deploy; null where none is stored. */
  readonly before: DeployRun | null
  /** The code version of that run; null where it names none. */
  readonly codeBefore: string | null
  /** Whether the latest run is of the time since the deploy, and failed because the node got no catalog. */
  readonly noCatalog: boolean
  /** Names of the causes by which it failed in its first run with the version and never before, where it failed before, too. */
  readonly otherwise: readonly string[]
  /** The last 32 runs, oldest first; null for nodes that are not in the sample. */
  readonly strip: readonly PackedRun[] | null
}

const FAILED = (state: string): SQL => sql.raw(`(${isFailedCode(state)})`)

const columns = (view: View, version: CodeOfEnvironment) => ({
  certname: text(sql`p.certname`),
  silent: flag(isSilentNode(sql`p`)),
  latest: keyTime(sql`p.latest`),
  interval: nullable(integer(sql`p.interval`)),
  latestState: integer(sql`p.state`),
  runsIt: flag(isVersion(sql`r`, version)),
  hasIt: flag(sql`coalesce(${latestVersionOf} = ${version.code_version}, 0)`),
  first: nullable(keyTime(sql`f.id`)),
  firstState: nullable(integer(sql`f.state`)),
  firstMs: nullable(integer(sql`f.end_time - f.start_time`)),
  firstChanges: nullable(integer(sql`f.successes`)),
  beforeState: nullable(integer(sql`b.state`)),
  beforeMs: nullable(integer(sql`b.end_time - b.start_time`)),
  beforeChanges: nullable(integer(sql`b.successes`)),
  codeBefore: nullable(text(versionOf(sql`b`))),
  noCatalog: flag(
    sql`${FAILED('r.state')} and p.latest >= p.deployed and (${isCached(sql`r`)} or ${versionOf(sql`r`)} is null or r.catalog_uuid is null and r.failures = 0)`,
  ),
  otherwise: nullable(
    json<string[], SQL>(
      sql`iif(${FAILED('f.state')} and ${FAILED('b.state')}, (select json_group_array(c.name)
        from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause where rc.report = p.first_run
        and not exists (select 1 from (select e.id from reports e indexed by reports_node where e.node = p.node and e.id < p.first_run
          order by e.id desc limit ${literal(RUNS_BEFORE)}) e cross join report_causes x on x.cause = rc.cause and x.report = e.id)), null)`,
    ),
  ),
  runs: nullable(
    text(
      sql`iif(p.node % max(1, (select count(*) from nodes) / ${literal(MOST_STRIPS)}) = 0, ${packedRuns(view)}, null)`,
    ),
  ),
})
type Row = RowOf<ReturnType<typeof columns>>

/** @param deploy selects the deploy: one row with `environment` and `first` */
export const deployNodes = (
  view: View,
  deploy: SQL,
  version: CodeOfEnvironment,
): TypedStatement<Row> =>
  typed(
    columns(view, version),
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)}),
    p as materialized (select n.*, ${firstRunOf(view, version)} as first_run, ${firstKeyOfDeploy} as deployed
      from ${deploy} cross join (select reports.node, reports.certname, reports.latest, reports.good, reports.runs, reports.silent, reports.interval, x.state, x.environment
        from ${nodesOf(view)} cross join reports x on x.id = reports.latest where ${view.where}) n
      where n.environment = d.environment),
    ${uncompiledNodes(view)}
    select ${selectList(columns(view, version))} from p cross join reports r on r.id = p.latest
    left join reports f on f.id = p.first_run
    left join reports b on b.id = ${priorRun(view, sql`p.node`, sql`coalesce(p.first_run, p.deployed)`)}
    order by p.certname`),
  )

/** The first run of the node `n` with the version of the deploy `d`; null where it has none. */
export const firstRunOf = (view: View, version: CodeOfEnvironment): SQL =>
  sql`(select s.id from (${firstRuns(view, sql`n.node`, isVersion(sql`reports`, version))}) s where s.has_it limit 1)`

/** The first runs of a node since the deploy `d`, and whether each has its version: `id` and `has_it`. */
const firstRuns = (view: View, node: SQL, hasIt: SQL): SQL =>
  sql`select reports.id, ${hasIt} as has_it from reports indexed by reports_node
    where reports.node = ${node} and reports.id >= ${firstKeyOfDeploy} and reports.environment = d.environment
      and reports.type = 0 and ${view.rowPolicy} order by reports.id limit ${literal(RUNS_SEARCHED)}`

const runOf = (state: number | null, ms: number | null, changes: number | null): DeployRun | null =>
  state === null || ms === null || changes === null
    ? null
    : { failed: isFailed(state), seconds: ms / 1000, changes }

export function deployNodeOf(row: Row): DeployNode {
  const first = runOf(row.firstState, row.firstMs, row.firstChanges)
  return {
    certname: row.certname,
    silent: row.silent,
    latest: row.latest,
    interval: row.interval,
    latestFailed: isFailed(row.latestState),
    runsIt: row.runsIt,
    hasIt: row.hasIt,
    first: first === null || row.first === null ? null : { ...first, time: row.first },
    before: runOf(row.beforeState, row.beforeMs, row.beforeChanges),
    codeBefore: row.codeBefore,
    noCatalog: row.noCatalog,
    otherwise: row.otherwise ?? [],
    strip: row.runs === null ? null : unpackRuns(row.runs, 32),
  }
}
