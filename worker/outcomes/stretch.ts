/** The stretch of time through which nodes fail by a cause: it ends at the first moment at which none does any more. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS } from '../schema/clocks.ts'
import { isFailedCode } from '../schema/states.ts'
import { integer, json, nullable, selectList, text, typed, type RowOf } from '../sql/columns.ts'
import { firstKeyOf, firstKeyOfHour, literal, timeOfRun } from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { STRETCHES } from '../store/hour-groups.ts'
import { ACTIVE, INACTIVE, isCounted, nextRun } from './fragments.ts'
import type { Runs } from './view.ts'

/** Most reports with the cause before those of the nodes that fail now: a longer stretch has no beginning that could be told. */
const MOST_REPORTS_OF_STRETCH = 10_000
/** Reports that are read at once, the last before a moment: with the cause, and of clocks that were ahead. */
const REPORTS_AT_ONCE = 200
/** The last one finds that nothing is left. */
const STEPS = MOST_REPORTS_OF_STRETCH / REPORTS_AT_ONCE + 1

/** Tells which nodes are inactive: their reports count in no stretch. */
const INACTIVE_NODES = sql`(select json_array(sum(id), sum(id * id)) from ${INACTIVE})`

/**
 * The stretches that lasted at the end of the last closed hour, as JSON: `time`, that end in ms, and `since`, the beginning of each by its
 * cause. Null where a report came late, a node came or went, and where the reader sees some reports only.
 */
const stored = ({ ofAll, restricted }: Runs): SQL =>
  ofAll && !restricted
    ? sql`(select h.groups from hour_groups h where h.kind = ${literal(STRETCHES)} and h.hour <= coalesce((select min(hour) from open_hours), h.hour)
        and h.groups -> '$.inactive' = ${INACTIVE_NODES})`
    : sql`null`

const OF_NEWEST_HOUR = {
  /** 1 where the stretches that lasted at the end of the newest closed hour are stored, or no hour is closed; else 0. */
  stored:
    integer(sql`iif((select max(hour) from hour_counts) is null, 1, exists (select 1 from hour_groups h where h.kind = ${literal(STRETCHES)}
    and h.hour > (select max(hour) from hour_counts) and h.groups -> '$.inactive' = ${INACTIVE_NODES}))`),
}

export const stretchesAreStored = (): TypedStatement<RowOf<typeof OF_NEWEST_HOUR>> =>
  typed(OF_NEWEST_HOUR, render(sql`select ${selectList(OF_NEWEST_HOUR)}`))

/** When the stretch of that cause began, of the stored ones of the row `back`. */
const storedSince = (cause: SQL): SQL =>
  sql`(back.kept -> '$.since' ->> ('$."' || ${cause} || '"'))`

/**
 * The time of the first report of the stretch, in ms, nodes that are well again included; null without a moment, and where the
 * stretch is too long. Each step reads the last reports before the time that is reached, and goes on from the first of those
 * that follow each other without a gap, or from the first run since which that node has failed. Where it reaches a stored stretch,
 * that says the rest.
 *
 * @param cause id of the cause
 * @param now the first time of the nodes that fail by it now, in ms
 */
export const stretchSince = (view: Runs, cause: SQL, now: SQL): SQL => {
  const isStored = sql`back.time < back.kept ->> '$.time' and ${storedSince(cause)} is not null`
  return sql`(with recursive back (time, step, kept) as (
    select ${now}, 0, ${stored(view)}
    union all
    select (select min(x.time, coalesce((select ${timeOf('first')} from reports first where first.id = (select ${firstOf(view, cause)} from (select x.node, x.report) r)), x.time))
        from (select node, report, time, max(until) over () as reach,
            time > max(until) over (order by time rows between unbounded preceding and 1 preceding) as begins
          from (select r.*, coalesce((select ${timeOf('y')} from reports y where y.id = ${nextRun(view, sql`r.node`, sql`r.report`)}), r.time) as until
            from (select * from (${reportsBefore(view, cause)}) union all select * from (${aheadBefore(view, cause)})) r)) x
        where x.reach >= back.time and x.begins is not 0 order by x.time desc limit 1), step + 1, kept
    from back where time is not null and step < ${literal(STEPS)} and (${isStored}) is not 1
    union all select min(time, ${storedSince(cause)}), ${literal(STEPS)}, null from back where ${isStored})
  select iif(count(time) > ${literal(STEPS)}, null, min(time)) from back)`
}

const END = sql`(select ${sql.raw(firstKeyOfHour('hour'))} from ended)`

/** A cause by which nodes failed at the end of the last closed hour, and the first time of their last runs, in ms. */
export type FailingCause = readonly [cause: number, time: number]

const AT_END = {
  hour: integer('ended.hour'),
  inactive: text(INACTIVE_NODES),
  failing: json<readonly FailingCause[]>(
    sql`(select json_group_array(json_array(cause, time)) from failing)`,
  ),
}

/** What failed at the end of the last closed hour, which nodes were inactive, and the hour that begins with it. No row without such an hour. */
export const failingAtEnd = (): TypedStatement<RowOf<typeof AT_END>> =>
  typed(
    AT_END,
    render(sql`with ended as materialized (select hour + 1 as hour from (select max(hour) as hour from hour_counts) where hour is not null),
    last as materialized (select n.id as node, iif(n.latest < ${END}, n.latest, (select reports.id from reports indexed by reports_node where reports.node = n.id
        and reports.id < ${END} and reports.type = 0 order by reports.id desc limit 1)) as id
      from nodes n where ${ACTIVE}),
    failing as materialized (select rc.cause, min(${timeOf('r')}) as time from last cross join reports r on r.id = last.id and ${sql.raw(isFailedCode('r.state'))}
      cross join report_causes rc indexed by report_causes_report on rc.report = r.id group by 1)
  select ${selectList(AT_END)} from ended`),
  )

const beginningOf = (view: Runs) => ({
  cause: integer(sql`f.cause`),
  since: nullable(integer(stretchSince(view, sql`f.cause`, sql`f.time`))),
  inactive: text(INACTIVE_NODES),
})

/** When the stretch of each of the causes began, in ms, and which nodes were inactive as it was read. */
export function stretchBeginnings(
  view: Runs,
  failing: readonly FailingCause[],
): TypedStatement<RowOf<ReturnType<typeof beginningOf>>> {
  const columns = beginningOf(view)
  return typed(
    columns,
    render(sql`with failing as materialized (select value ->> 0 as cause, value ->> 1 as time from json_each(${JSON.stringify(failing)}))
      select ${selectList(columns)} from failing f`),
  )
}

const timeOf = (alias: string): SQL => sql.raw(timeOfRun(alias))

/** The last reports with the cause before the moment, by their keys. */
const reportsBefore = (view: Runs, cause: SQL): SQL =>
  sql`select rc.report, reports.node, ${timeOf('reports')} as time from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = ${cause} and rc.report < ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
    order by rc.report desc limit ${literal(REPORTS_AT_ONCE)}`

/** Those that came before the moment, and whose keys lie after it: their clocks were ahead. */
const aheadBefore = (view: Runs, cause: SQL): SQL =>
  sql`select reports.id, reports.node, reports.receive_time from (select x.id from reports x indexed by reports_late
      where x.clock_flags & ${literal(CLOCKS.receive_time.bit)} and x.receive_time < back.time
      order by x.receive_time desc limit ${literal(REPORTS_AT_ONCE)}) late
    cross join reports on reports.id = late.id
    where late.id >= ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
      and exists (select 1 from report_causes rc where rc.cause = ${cause} and rc.report = late.id)`

/** The first report with the cause of the node that failed by it with the report `r`, since its last run without the cause. */
const firstOf = (view: Runs, cause: SQL): SQL =>
  nextRun(
    view,
    sql`r.node`,
    sql`coalesce((select x.id from reports x indexed by reports_node where x.node = r.node and x.type = 0 and x.id < r.report
      and not exists (select 1 from report_causes y where y.cause = ${cause} and y.report = x.id) order by x.id desc limit 1), ${literal(Number.MIN_SAFE_INTEGER)})`,
  )
