/** Reads how each node of an environment took a code version: its last run before, its first run with it, and its latest run. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailed } from '../../schema/states.ts'
import { flag, integer, keyTime, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { unpackRuns, type PackedRun } from '../../store/runs.ts'
import { nodesOf, silentKey } from '../fragments.ts'
import { packedRuns } from '../nodes/run-strip.ts'
import type { View } from '../view.ts'
import { firstKeyOfDeploy, isVersion, versionOf } from './code-versions.ts'

/** Runs of a node since the deploy that are looked through for the first one with the new version. */
const RUNS_SEARCHED = 8
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
  readonly latestFailed: boolean
  /** Whether the latest run has the version. */
  readonly hasIt: boolean
  /** The first run with the version; null if it has not run it, or not within its first runs since the deploy. */
  readonly first: (DeployRun & { readonly time: number }) | null
  /** The last run before that, or before the deploy; null where none is stored. */
  readonly before: DeployRun | null
  /** The code version of that run; null where it names none. */
  readonly codeBefore: string | null
  /** The last 32 runs, oldest first; null for nodes that are not in the sample. */
  readonly strip: readonly PackedRun[] | null
}

const columns = (view: View, version: string) => ({
  certname: text(sql`p.certname`),
  silent: flag(sql`p.latest < ${silentKey(view)}`),
  latest: keyTime(sql`p.latest`),
  latestState: integer(sql`p.state`),
  hasIt: flag(isVersion(sql`r`, version)),
  first: nullable(keyTime(sql`f.id`)),
  firstState: nullable(integer(sql`f.state`)),
  firstMs: nullable(integer(sql`f.end_time - f.start_time`)),
  firstChanges: nullable(integer(sql`f.successes`)),
  beforeState: nullable(integer(sql`b.state`)),
  beforeMs: nullable(integer(sql`b.end_time - b.start_time`)),
  beforeChanges: nullable(integer(sql`b.successes`)),
  codeBefore: nullable(text(sql`v.version`)),
  runs: nullable(
    text(
      sql`iif(p.node % max(1, (select count(*) from nodes) / ${literal(MOST_STRIPS)}) = 0, ${packedRuns(view)}, null)`,
    ),
  ),
})
type Row = RowOf<ReturnType<typeof columns>>

/** @param deploy selects the deploy: one row with `environment` and `first` */
export const deployNodes = (view: View, deploy: SQL, version: string): TypedStatement<Row> =>
  select(
    columns(view, version),
    sql`from (select n.*, ${firstRunOf(view, version)} as first_run,
        ${firstKeyOfDeploy} as deployed
      from ${deploy} cross join (select reports.node, reports.certname, reports.latest, reports.runs, x.state, x.environment
        from ${nodesOf(view)} join reports x on x.id = reports.latest where ${view.where}) n
      where n.environment = d.environment) p
    join reports r on r.id = p.latest
    left join reports f on f.id = p.first_run
    left join reports b on b.id = (select max(reports.id) from reports indexed by reports_node
      where reports.node = p.node and reports.id < coalesce(p.first_run, p.deployed) and reports.type = 0 and ${view.rowPolicy})
    left join code_versions v on v.environment = p.environment and v.version = ${versionOf(sql`b`)}
    order by p.certname`,
  )

/** The first run of the node `n` with the version of the deploy `d`; null where it has none. */
export const firstRunOf = (view: View, version: string): SQL =>
  sql`(select s.id from (${firstRuns(view, sql`n.node`, isVersion(sql`reports`, version))}) s where s.has_it limit 1)`

/** The first runs of a node since the deploy `d`, and whether each has its version: `id` and `has_it`. */
export const firstRuns = (view: View, node: SQL, hasIt: SQL): SQL =>
  sql`select reports.id, ${hasIt} as has_it from reports indexed by reports_node
    where reports.node = ${node} and reports.id >= ${firstKeyOfDeploy} and reports.environment = d.environment
      and reports.type = 0 and ${view.rowPolicy} order by reports.id limit ${literal(RUNS_SEARCHED)}`

const runOf = (
  state: number | null,
  ms: number | null,
  changes: number | null,
): DeployRun | null =>
  state === null || ms === null || changes === null
    ? null
    : { failed: isFailed(state), seconds: ms / 1000, changes }

export function deployNodeOf(row: Row): DeployNode {
  const first = runOf(row.firstState, row.firstMs, row.firstChanges)
  return {
    certname: row.certname,
    silent: row.silent,
    latest: row.latest,
    latestFailed: isFailed(row.latestState),
    hasIt: row.hasIt,
    first: first === null || row.first === null ? null : { ...first, time: row.first },
    before: runOf(row.beforeState, row.beforeMs, row.beforeChanges),
    codeBefore: row.codeBefore,
    strip: row.runs === null ? null : unpackRuns(row.runs, 32),
  }
}
