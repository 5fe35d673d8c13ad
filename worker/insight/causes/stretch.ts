/** The stretch of time through which nodes fail by a cause: it ends at the first moment at which none does any more. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS } from '../../schema/clocks.ts'
import { firstKeyOf, literal, timeOfRun } from '../../sql/encoding.ts'
import { isCounted, nextRun } from '../fragments.ts'
import type { View } from '../view.ts'

/** Most reports with the cause before those of the nodes that fail now: a longer stretch has no beginning that could be told. */
const MOST_REPORTS_OF_STRETCH = 10_000
/** Reports that are read at once, the last before a moment: with the cause, and of clocks that were ahead. */
const REPORTS_AT_ONCE = 200
/** The last one finds that nothing is left. */
const STEPS = MOST_REPORTS_OF_STRETCH / REPORTS_AT_ONCE + 1

/**
 * The time of the first report of the stretch, in ms, nodes that are well again included; null without a moment, and where the
 * stretch is too long. Each step reads the last reports before the time that is reached, and goes on from the first of those
 * that follow each other without a gap, or from the first run since which that node has failed.
 *
 * @param cause id of the cause
 * @param now the first time of the nodes that fail by it now, in ms
 */
export const stretchSince = (view: View, cause: SQL, now: SQL): SQL =>
  sql`(with recursive back (time, step) as (
    select ${now}, 0
    union all
    select (select min(x.time, coalesce((select ${timeOf('first')} from reports first where first.id = (select ${firstOf(view, cause)} from (select x.node, x.report) r)), x.time))
        from (select node, report, time, max(until) over () as reach,
            time > max(until) over (order by time rows between unbounded preceding and 1 preceding) as begins
          from (select r.*, coalesce((select ${timeOf('y')} from reports y where y.id = ${nextRun(view, sql`r.node`, sql`r.report`)}), r.time) as until
            from (select * from (${reportsBefore(view, cause)}) union all select * from (${aheadBefore(view, cause)})) r)) x
        where x.reach >= back.time and x.begins is not 0 order by x.time desc limit 1), step + 1
    from back where time is not null and step < ${literal(STEPS)})
  select iif(count(time) > ${literal(STEPS)}, null, min(time)) from back)`

const timeOf = (alias: string): SQL => sql.raw(timeOfRun(alias))

/** The last reports with the cause before the moment, by their keys. */
const reportsBefore = (view: View, cause: SQL): SQL =>
  sql`select rc.report, reports.node, ${timeOf('reports')} as time from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = ${cause} and rc.report < ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
    order by rc.report desc limit ${literal(REPORTS_AT_ONCE)}`

/** Those that came before the moment, and whose keys lie after it: their clocks were ahead. */
const aheadBefore = (view: View, cause: SQL): SQL =>
  sql`select reports.id, reports.node, reports.receive_time from (select x.id from reports x indexed by reports_late
      where x.clock_flags & ${literal(CLOCKS.receive_time.bit)} and x.receive_time < back.time
      order by x.receive_time desc limit ${literal(REPORTS_AT_ONCE)}) late
    cross join reports on reports.id = late.id
    where late.id >= ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
      and exists (select 1 from report_causes rc where rc.cause = ${cause} and rc.report = late.id)`

/** The first report with the cause of the node that failed by it with the report `r`, since its last run without the cause. */
const firstOf = (view: View, cause: SQL): SQL =>
  nextRun(
    view,
    sql`r.node`,
    sql`coalesce((select x.id from reports x indexed by reports_node where x.node = r.node and x.type = 0 and x.id < r.report
      and not exists (select 1 from report_causes y where y.cause = ${cause} and y.report = x.id) order by x.id desc limit 1), ${literal(Number.MIN_SAFE_INTEGER)})`,
  )
