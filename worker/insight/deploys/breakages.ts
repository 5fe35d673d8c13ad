/**
 * Finds the nodes that broke with a version of the code: all that lists, pages, sentences and charts say of it is
 * counted from these rows.
 */

import { sql, type SQL } from 'drizzle-orm'
import { DAY } from '../../lib/time.ts'
import { codesOf, isFailedCode, isNotable, isNotFailedCode } from '../../schema/states.ts'
import { flag, integer, json, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import { firstKey, firstKeyOf, keyOfRun, lastKey, literal, timeOfRun } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { isSilent } from '../../store/node-life.ts'
import { ACTIVE, andVisibleNode, nextRun, priorRun, stringOf } from '../fragments.ts'
import { lastGoodOf } from '../nodes/node-row.ts'
import type { View } from '../view.ts'
import {
  codeVersionsOf,
  didNotCompile,
  isCached,
  newestVersion,
  rolledOut,
  rollouts,
  versionOf,
  type CodeOfEnvironment,
} from './code-versions.ts'
import { DEPLOY_RULES } from './rules.ts'

/** What became of a node that broke: `broken` and `recovered` as its latest run says, whatever code that had. */
export type BreakageOutcome = 'broken' | 'recovered' | 'silent' | 'deleted'

const columns = (view: View) => ({
  certname: text(sql`n.certname`),
  environment: text(stringOf(sql`b.environment`)),
  code_version: text(sql`b.version`),
  /** When the environment got the version, in ms. */
  deployed: integer(sql`b.first`),
  /** Whether the environment has no newer one. */
  newest: flag(
    sql`not exists (select 1 from version v where v.environment = b.environment and v.first > b.first)`,
  ),
  /** The time of the failing run, in ms; of a clock that is ahead, the time of receipt. */
  time: integer(sql`(select ${sql.raw(timeOfRun('f'))} from reports f where f.id = b.id)`),
  /** Names of the causes that it broke by. */
  causes: json<string[], SQL>(
    sql`(select json_group_array(c.name) from blamed k cross join causes c on c.id = k.cause
      where k.node = b.node and k.id = b.id and k.version = b.version and ${isNew(sql`k`)})`,
  ),
  outcome: text<BreakageOutcome, SQL>(
    sql`case when not (${ACTIVE}) or l.id is null then 'deleted' when ${isSilent(view)} then 'silent'
      when ${FAILED('l.state')} then 'broken' else 'recovered' end`,
  ),
  /** Names of the causes that its latest run fails by, if no run since the failing one was good. */
  failing: json<string[], SQL>(
    sql`(select json_group_array(c.name) from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
      where ${ACTIVE} and rc.report = l.id and b.id > coalesce((select ${lastGoodOf(view)} from (select n.id as node, n.good as good) p), 0))`,
  ),
})
/** A node that broke with a version: its first run with it, or one that belongs to it, failed, and the run before was good. */
export type Breakage = RowOf<ReturnType<typeof columns>>

/** How far evidence is looked for. */
export const BREAKAGE_REACH = {
  /** How long before a version's first failure by a cause other nodes may have failed by it, in ms: nodes run at least as often. */
  older: 2 * DAY,
  /** Failed runs of a node with the version before its first good one, in which the reason to blame is looked for. */
  runs: 12,
} as const

const FAILED = (state: string): SQL => sql.raw(`(${isFailedCode(state)})`)
const GOOD = (state: string): SQL => sql.raw(`(${isNotFailedCode(state)})`)
const KEY_OF_RUN = (alias: string): SQL => sql.raw(keyOfRun(alias))
const FAILED_CODES = sql.raw(codesOf(['failed']).join(','))

/**
 * The breakages of the runs of the view's span, and of the present failures of nodes, whenever those began.
 *
 * @param version instead the breakages with this version, over all time
 */
export const breakages = (view: View, version: string | null = null): TypedStatement<Breakage> =>
  typed(
    columns(view),
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)}),
      began as materialized (${presentFailures(view)} union ${healedFailures(view, version)}),
      rollout as materialized (${rollouts(sql`select id from began`)}),
      suspect as materialized (${suspects(version)}),
      blamed as materialized (${blamed(view)}),
      elsewhere as materialized (${failuresElsewhere(view)}),
      broke as materialized (select k.node, k.environment, k.version, k.first, min(k.id) as id from blamed k
        where ${isNew(sql`k`)} group by 1, 2, 3)
      select ${selectList(columns(view))} from broke b cross join nodes n on n.id = b.node
        left join reports l on l.id = n.latest${andVisibleNode(view)}
      order by b.id, n.certname`),
  )

export const breakagesRead = (view: View): BatchRead<readonly Breakage[]> =>
  batchRead([breakages(view)], ([rows]) => rows)

/** The run with which a node began to fail as it fails now: `id` and `node`. The good run before it must still be stored: it says with which code. */
const presentFailures = (view: View): SQL =>
  sql`select reports.id, p.node from (select n.id as node, n.good, n.state from nodes n) p
    cross join reports g on g.id = ${lastGoodOf(view)}
    cross join reports on reports.id = ${nextRun(view, sql`p.node`, sql`g.id`)}
    where ${view.restricted ? sql`1` : FAILED('p.state')} and ${view.where}`

/** Failed runs after a good one, of nodes that ran well since. Without a version: the runs of the span. */
function healedFailures(view: View, version: string | null): SQL {
  const { restricted, since, where } = view
  const from =
    version === null
      ? literal(firstKey(Math.ceil(since)))
      : sql`(select ${firstKeyOf(sql`min(first)`)} from version where version = ${version})`
  return sql`select f.id, f.node from (select reports.id, reports.node from reports indexed by reports_notable
    where ${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${FAILED_CODES}) and reports.id >= ${from}
      and reports.type = 0 and ${where}
      and ${restricted ? sql`1` : sql`reports.id < (select p.good from nodes p where p.id = reports.node)`}) f
    where ${priorRun(view, sql`f.node`, sql`f.id`, GOOD('reports.state'))}`
}

/** The runs that are the first of their node with a version, with that version. */
const suspects = (version: string | null): SQL =>
  sql`select f.id, f.node, f.environment, v.version, v.first
    from (select f.id, f.node, r.environment, coalesce(iif(${isCached(sql`r`)}, null, ${versionOf(sql`r`)}), iif(${didNotCompile(sql`r`)}, ${rolledOut('r')}, null)) as version
      from began f cross join reports r on r.id = f.id) f
    cross join version v on v.environment = f.environment and v.version = f.version
    where ${version === null ? sql`1` : sql`v.version = ${version}`} and not exists (select 1 from reports e indexed by reports_node
      where e.node = f.node and e.id >= ${firstKeyOf(sql`v.first`)} and e.id < f.id and e.type = 0
        and e.environment = f.environment and ${versionOf(sql`e`)} = v.version)`

/**
 * The causes of the suspects' first failed runs: a row for each, with the run that had it first, and `at`, the key of that
 * run's time. A node may fail by an older cause first, and by the version's later.
 */
const blamed = (view: View): SQL =>
  sql`select s.node, s.environment, s.version, s.first, rc.cause, coalesce(c.catalog, 0) as catalog, min(r.id) as id, ${KEY_OF_RUN('r')} as at
    from (select s.*, (select reports.id from reports indexed by reports_node where reports.node = s.node and reports.id >= s.id
        and reports.type = 0 and ${view.rowPolicy} order by reports.id limit 1 offset ${literal(BREAKAGE_REACH.runs)}) as behind
      from suspect s) s
    cross join reports r indexed by reports_node on r.node = s.node and r.id >= s.id and r.id < coalesce(s.behind, ${literal(Number.MAX_SAFE_INTEGER)})
      and r.type = 0 and r.environment = s.environment
    cross join report_causes rc indexed by report_causes_report on rc.report = r.id cross join causes c on c.id = rc.cause
    where not exists (select 1 from reports g indexed by reports_node where g.node = s.node and g.id > s.id and g.id < r.id
        and g.type = 0 and ${GOOD('g.state')})
      and iif(coalesce(c.catalog, 0), not exists (select 1 from version v where v.environment = s.environment and v.first > s.first
        and v.first <= ${sql.raw(timeOfRun('r'))}), not ${isCached(sql`r`)} and ${versionOf(sql`r`)} = s.version)
    group by 1, 2, 3, 5`

/**
 * Stretches through which a node failed by a cause that a version is blamed for, from a run without that version on: `cause`,
 * `version`, and the keys of the times `since`, of that run, and `until`, of the node's next other run. A catalog that doesn't
 * compile is of no other version once one is rolled out. Reports of clocks that are ahead lie beyond the present.
 */
const failuresElsewhere = (view: View): SQL =>
  sql`select g.*, (select ${KEY_OF_RUN('u')} from reports u where u.id = ${nextRun(view, sql`g.node`, sql`g.latest`)}) as until
    from (select cause, version, environment, node, min(iif(elsewhere, at, null)) as since, max(report) as latest from (select *, sum(begins) over (partition by cause, version, environment, node order by report) as stretch
      from (select e.*, ${priorRun(view, sql`e.node`, sql`e.report`)}
          is not lag(e.report) over (partition by e.cause, e.version, e.environment, e.node order by e.report) as begins
        from (select p.*, x.report, reports.node, ${KEY_OF_RUN('reports')} as at, iif(p.catalog, iif(reports.environment = p.environment, ${KEY_OF_RUN('reports')} < ${firstKeyOf(sql`p.first`)}, ${newestVersion('reports')} is not p.version),
            ${versionOf(sql`reports`)} is not p.version) as elsewhere
          from (select cause, version, environment, first, catalog, min(at) as earliest, max(at) as latest from blamed group by 1, 2, 3) p
          cross join (select 0 as ahead union all select 1) w
          cross join report_causes x on x.cause = p.cause
            and x.report >= iif(w.ahead, ${literal(lastKey(view.now) + 1)}, p.earliest - ${literal(firstKey(BREAKAGE_REACH.older))})
            and x.report < iif(w.ahead, ${literal(Number.MAX_SAFE_INTEGER)}, p.latest)
          cross join reports on reports.id = x.report and reports.type = 0 and ${view.rowPolicy}) e)) h
    group by cause, version, environment, node, stretch having since is not null) g`

/** Condition that no node failed by the cause without the version when the run of `k` failed by it. */
const isNew = (k: SQL): SQL =>
  sql`not exists (select 1 from elsewhere o where o.cause = ${k}.cause and o.version = ${k}.version and o.environment = ${k}.environment
    and o.since < ${k}.at and coalesce(o.until, ${literal(Number.MAX_SAFE_INTEGER)}) > ${k}.at)`

/** The breakages with a version. */
export const breakagesOf = (
  rows: readonly Breakage[],
  code: CodeOfEnvironment,
): readonly Breakage[] =>
  rows.filter(
    (one) => one.environment === code.environment && one.code_version === code.code_version,
  )

/** The breakages by a cause, of nodes that have failed ever since and fail by it now. */
export const failingBecauseOf = (
  rows: readonly Breakage[],
  cause: string | null,
): readonly Breakage[] =>
  rows.filter(
    ({ causes, failing }) => cause !== null && causes.includes(cause) && failing.includes(cause),
  )

/**
 * The version that a cause began with: most nodes that fail by it now broke with the version by it, and were not well since.
 * Null where there is none, and of one node.
 *
 * @param failing nodes that fail by it now
 */
export function codeThatBegan(
  rows: readonly Breakage[],
  { cause, failing }: { readonly cause: string | null; readonly failing: number | null },
): CodeOfEnvironment | null {
  const codes = Map.groupBy(failingBecauseOf(rows, cause), ({ environment, code_version }) =>
    JSON.stringify([environment, code_version]),
  )
  const [most] = [...codes.values()].sort((one, other) => other.length - one.length)
  const { unsafeNodes, beganShare } = DEPLOY_RULES
  if (most === undefined || most.length < unsafeNodes) return null
  if (most.length < beganShare * (failing ?? Infinity)) return null
  const { environment, code_version } = most[0]!
  return { environment, code_version }
}

/** The nodes that broke with a version, and what became of them. */
export interface BrokenCounts {
  readonly broke: number
  /** Of these, nodes whose latest run failed. */
  readonly broken_now: number
  /** Nodes whose latest run did not fail, whatever code it had. */
  readonly recovered: number
  /** Nodes that are silent since. */
  readonly broke_silent: number
  /** Nodes that were deactivated, or have expired. */
  readonly broke_deleted: number
}

export function countBroken(rows: readonly Breakage[]): BrokenCounts {
  const count = (wanted: BreakageOutcome) => rows.filter(({ outcome }) => outcome === wanted).length
  return {
    broke: rows.length,
    broken_now: count('broken'),
    recovered: count('recovered'),
    broke_silent: count('silent'),
    broke_deleted: count('deleted'),
  }
}
