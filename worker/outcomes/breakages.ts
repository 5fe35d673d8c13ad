/**
 * Finds the nodes that broke with a version of the code: all that lists, pages, sentences and charts say of it is
 * counted from these rows.
 */

import { sql, type SQL } from 'drizzle-orm'
import { DAY } from '../lib/time.ts'
import { CLOCKS } from '../schema/clocks.ts'
import { codesOf, isFailedCode, isNotable, isNotFailedCode } from '../schema/states.ts'
import { flag, integer, json, selectList, text, typed, type RowOf } from '../sql/columns.ts'
import {
  firstKey,
  firstHourOfDay,
  firstKeyOf,
  firstKeyOfHour,
  hourStart,
  keyOfRun,
  lastKey,
  literal,
  timeOfRun,
} from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { TypedStatement } from '../sql/statement.ts'
import {
  BREAKAGES_OF_HOUR,
  isCountedKey,
  mayCheckBreakages,
  firstRowOf,
  UNCOUNTED_FROM,
  wholeHour,
  type CountedHour,
} from '../store/hour-groups.ts'
import { isSilent } from '../store/node-life.ts'
import { ACTIVE, andVisibleNode, nextRun, stringOf } from './fragments.ts'
import { lastGoodOf } from './fragments.ts'
import type { Runs, View } from './view.ts'
import {
  codeVersionsOf,
  didNotCompile,
  isCached,
  newestVersion,
  rolledOut,
  rollouts,
  versionOf,
} from './code-versions.ts'

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
    sql`b.first >= (select json_group_object(environment, first) from (select environment, max(first) as first from version group by 1)) ->> ('$."' || b.environment || '"')`,
  ),
  /** The time of the failing run, in ms; of a clock that is ahead, the time of receipt. */
  time: integer(sql`b.time`),
  /** Names of the causes that it broke by. */
  causes: json<string[], SQL>(sql`b.causes`),
  outcome: text<BreakageOutcome, SQL>(
    sql`case when not (${ACTIVE}${andVisibleNode(view)}) then 'deleted' when ${isSilent(view)} then 'silent'
      when ${FAILED('n.state')} then 'broken' else 'recovered' end`,
  ),
  /** Names of the causes that its latest run fails by, if no run since the failing one was good. */
  failing: json<string[], SQL>(
    sql`(select json_group_array(c.name) from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
      where ${ACTIVE}${andVisibleNode(view)} and rc.report = n.latest and b.id > coalesce((select ${lastGoodOf(view)} from (select n.id as node, n.good as good) p), 0))`,
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
 * The breakages of the runs of the view's span, and of the present failures of nodes, whenever those began. Breakages of counted hours
 * are read from their rows, for readers who see whole environments.
 *
 * @param version instead the breakages with this version, over all time
 */
export const breakages = (view: View, version: string | null = null): TypedStatement<Breakage> => {
  const isKept = view.ofEnvironments && !view.restricted
  const since =
    version === null
      ? literal(firstKey(Math.ceil(view.since)))
      : sql`(select ${firstKeyOf(sql`min(first)`)} from version where version = ${version})`
  const uncounted = isKept ? sql`(select key from uncounted)` : literal(Number.MIN_SAFE_INTEGER)
  return typed(
    columns(view),
    render(sql`with version as materialized (select * from ${codeVersionsOf(view)}),
      uncounted as materialized (select ${UNCOUNTED_FROM} as key),
      began as materialized (${presentFailures(view, uncounted)}
        union select id, node from (${stretches(view, sql`reports.id >= max(${since}, ${uncounted}) and ${view.where} and ${isHealed(view)}`)}) where id >= ${since}),
      ${found(view, sql`id >= ${uncounted}`, version)},
      broke as materialized (select node, environment, version, first, time, causes, min(id) as id
        from (select * from found ${isKept ? sql`union all ${counted(view, since, version)}` : sql``}) group by 1, 2, 3)
      select ${selectList(columns(view))} from broke b cross join nodes n on n.id = b.node
      order by b.id, n.certname`),
  )
}

/**
 * SQL for the rows of `hour_groups` with the breakages of an hour, by the run that broke. They follow from the reports of the hour
 * and of those before it.
 */
export const breakagesOfHour = (view: Runs, hour: CountedHour): SQL =>
  sql`with version as materialized (select * from ${codeVersionsOf(view)}),
      began as materialized (${stretches(view, sql`${sql.raw(isCountedKey('reports.id', hour))} and ${view.where}`)}),
      ${found(view, sql.raw(isCountedKey('id', hour)), null)}
    select ${literal(BREAKAGES_OF_HOUR)}, ${literal(hour.hour)}, environment, number / ${literal(BREAKAGES_AT_ONCE)} + ${firstRowOf(hour)},
      json_group_array(json_array(node, version, first, began, id, time, json(causes))) as groups
    from (select *, row_number() over () as number from found) group by 3, 4`

/**
 * SQL for a row of each breakage of an hour that is stored and doesn't follow from its reports, or follows and is not stored. Leaves out what may
 * follow from reports that are deleted by now, or depends on when it was counted: clocks were ahead then.
 */
export const breakagesAmiss = (view: Runs, hour: number): SQL => {
  const whole = wholeHour(hour)
  const entries = (rows: SQL): SQL =>
    sql`select e.value ->> 0 as node, e.value ->> 1 as version, e.value ->> 2 as first, e.value ->> 3 as began, e.value ->> 4 as id,
      (select group_concat(c.value, ' ' order by c.value) from json_each(e.value, '$[6]') c) as causes from (${rows}) r cross join json_each(r.groups) e`
  return sql`with stored as materialized (${entries(sql`select groups from hour_groups where kind = ${literal(BREAKAGES_OF_HOUR)} and hour = ${literal(hour)}`)}),
      counted as materialized (${entries(breakagesOfHour(view, whole))}),
      deleted as materialized (select ${firstKeyOfHour(firstHourOfDay(sql`max(day)`))} as behind from (select max(day) + 1 as day from kept_days union all select day from kept_since))
    select b.id from (select * from (select * from stored except select * from counted)
        union all select * from (select * from counted except select * from stored)) b
      cross join deleted where ${sql.raw(mayCheckBreakages(hour))}
      and ${literal(whole.first - firstKey(BREAKAGE_REACH.older))} >= coalesce(behind, ${literal(Number.MIN_SAFE_INTEGER)})
      and ${firstKeyOf(sql`b.first`)} >= coalesce(behind, ${literal(Number.MIN_SAFE_INTEGER)})
      and exists (select 1 from reports g indexed by reports_node where g.node = b.node and g.id < b.began and g.type = 0 and ${GOOD('g.state')})
      and not exists (select 1 from reports a indexed by reports_late where a.clock_flags & ${literal(CLOCKS.receive_time.bit)}
        and a.receive_time < ${literal(hourStart(hour + 1))} and a.id >= ${literal(whole.behind)})`
}

/** Breakages of a row: a row stays far below what D1 stores in one. */
const BREAKAGES_AT_ONCE = 2000

/** Those that are stored of counted hours. */
const counted = ({ where }: Runs, since: SQL, version: string | null): SQL =>
  sql`select node, environment, version, first, began, id, time, causes
    from (select reports.environment, ${sql.raw(
      ['node', 'version', 'first', 'began', 'id', 'time', 'causes']
        .map((name, place) => `g.value ->> ${place} as ${name}`)
        .join(', '),
    )} from (select h.environment, h.groups, 0 as type from hour_groups h where h.kind = ${literal(BREAKAGES_OF_HOUR)}
        and ${sql.raw(firstKeyOfHour('h.hour'))} < (select key from uncounted)) as reports
      cross join json_each(reports.groups) g where ${where}) k
    where ${
      version === null
        ? sql`(k.began >= ${since} or exists (select 1 from nodes p where p.id = k.node and ${FAILED('p.state')} and p.good < k.began))`
        : sql`k.version = ${version}`
    }`

/** The run with which a node began to fail as it fails now: `id` and `node`, of nodes that ran since a key. The good run before it must still be stored: it says with which code. */
const presentFailures = (view: Runs, since: SQL): SQL =>
  sql`select reports.id, p.node from (select n.id as node, n.good, n.state, n.latest from nodes n) p
    cross join reports g on g.id = ${lastGoodOf(view)}
    cross join reports on reports.id = ${nextRun(view, sql`p.node`, sql`g.id`)}
    where ${view.restricted ? sql`1` : FAILED('p.state')} and p.latest >= ${since} and ${view.where}`

/** Condition that a failed run is of a node that ran well since. */
const isHealed = ({ restricted }: Runs): SQL =>
  restricted ? sql`1` : sql`reports.id < (select p.good from nodes p where p.id = reports.node)`

/** The runs with which the nodes of failed runs began to fail: `id` and `node`, as far back as a reason is looked for. */
const stretches = (view: Runs, where: SQL): SQL =>
  sql`select distinct ${nextRun(
    view,
    sql`f.node`,
    sql`(select x.id from (select reports.id, reports.state from reports indexed by reports_node where reports.node = f.node and reports.id < f.id
      and reports.type = 0 and ${view.rowPolicy} order by reports.id desc limit ${literal(BREAKAGE_REACH.runs)}) x
      where ${GOOD('x.state')} order by x.id desc limit 1)`,
  )} as id, f.node from (select reports.id, reports.node from reports indexed by reports_notable
    where ${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${FAILED_CODES}) and reports.type = 0 and ${where}) f`

/** Tables of a WITH clause: `found` has a row for each failed run by which a node broke with a version. Needs `version` and `began`. @param where on the key `id` of that run */
const found = (view: Runs, where: SQL, version: string | null): SQL =>
  sql`rollout as materialized (${rollouts(sql`select id from began`)}),
      suspect as materialized (${suspects(version)}),
      blamed as materialized (select * from (${blamed(view)}) where ${where}),
      suspicion as materialized (${suspicions(view)}),
      found as materialized (select k.node, k.environment, k.version, k.first, k.began, k.id, k.time, json_group_array(c.name) as causes
        from (select k.*, p.earliest, p.other from blamed k cross join suspicion p on p.cause = k.cause and p.version = k.version and p.environment = k.environment) k
        cross join causes c on c.id = k.cause where ${isNew(view)} group by 1, 2, 3, k.id)`

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
const blamed = (view: Runs): SQL =>
  sql`select s.node, s.environment, s.version, s.first, rc.cause, coalesce(c.catalog, 0) as catalog, s.id as began, min(r.id) as id, ${KEY_OF_RUN('r')} as at,
      ${sql.raw(timeOfRun('r'))} as time
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

/** Reports `o` without the version of the row of that alias that failed by its cause: `report`, `node`, and `at`, the key of its time. */
const failuresWithout = (view: Runs, k: string, range: SQL): SQL => {
  const p = sql.raw(k)
  return sql`(select x.report, reports.node, ${KEY_OF_RUN('reports')} as at
    from report_causes x cross join reports on reports.id = x.report and reports.type = 0 and ${view.rowPolicy}
    where x.cause = ${p}.cause and ${range} and iif(${p}.catalog, iif(reports.environment = ${p}.environment,
        ${KEY_OF_RUN('reports')} < ${firstKeyOf(sql`${p}.first`)}, ${newestVersion('reports')} is not ${p}.version),
      ${versionOf(sql`reports`)} is not ${p}.version) order by x.report desc) o`
}

/**
 * The causes that versions are blamed for, with the range of keys in which other nodes may have failed by them: `earliest`, and `other`,
 * the last such report. A catalog that doesn't compile is of no other version once one is rolled out.
 */
const suspicions = (view: Runs): SQL =>
  sql`select p.*, (select o.report from ${failuresWithout(view, 'p', sql`x.report >= p.earliest and x.report < p.latest`)} limit 1) as other
    from (select cause, version, environment, first, catalog, min(at) - ${literal(firstKey(BREAKAGE_REACH.older))} as earliest, max(at) as latest
      from blamed group by 1, 2, 3) p`

/** Condition that no node failed by the cause without the version, and went on to fail by it, when the run of `k` failed by it. Reports of clocks that are ahead lie beyond the present. */
const isNew = (view: Runs): SQL =>
  sql.join(
    [
      sql`x.report < k.at and x.report <= k.other and x.report >= k.earliest`,
      sql`x.report > ${literal(lastKey(view.now))}`,
    ].map(
      (range) => sql`(select 1 from ${failuresWithout(view, 'k', range)} where o.at < k.at
        and coalesce((select ${KEY_OF_RUN('reports')} from reports indexed by reports_node where reports.node = o.node and reports.id > o.report
            and reports.type = 0 and ${view.rowPolicy} and not exists (select 1 from report_causes y where y.cause = k.cause and y.report = reports.id)
          order by reports.id limit 1), ${literal(Number.MAX_SAFE_INTEGER)}) > k.at limit 1) is null`,
    ),
    sql` and `,
  )
