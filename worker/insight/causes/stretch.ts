/** The stretch of time through which nodes fail by a cause: it ends at the first moment at which none does any more. */

import { sql, type SQL } from 'drizzle-orm'
import { CLOCKS } from '../../schema/clocks.ts'
import { firstKeyOf, literal, timeOfRun } from '../../sql/encoding.ts'
import { isCounted, nextRun } from '../fragments.ts'
import type { View } from '../view.ts'

/** Reports before a moment, in which a node that still failed then is looked for: with the cause, and of clocks that were ahead. */
const REPORTS_BEFORE = 200
/** Nodes that hand a stretch on to each other, at most. */
const STEPS_BACK = 50

/**
 * The time of the first report of the stretch, in ms, nodes that are well again included; null without a moment.
 *
 * @param cause id of the cause
 * @param now the first time of the nodes that fail by it now, in ms
 */
export const stretchSince = (view: View, cause: SQL, now: SQL): SQL =>
  sql`(with recursive back (time, step) as (
    select ${now}, 0
    union all
    select (select ${timeOf('x')} from reports x where x.id = (select ${firstOf(view, cause)}
        from (select * from (${reportsBefore(view, cause)}) union all select * from (${aheadBefore(view, cause)})) r
        where (select ${timeOf('y')} from reports y
          where y.id = ${nextRun(view, sql`r.node`, sql`r.report`)} and y.id >= ${firstKeyOf(sql`back.time`)}) >= back.time
        order by r.time limit 1)), step + 1
    from back where time is not null and step < ${literal(STEPS_BACK)})
  select min(time) from back)`

const timeOf = (alias: string): SQL => sql.raw(timeOfRun(alias))

/** The last reports with the cause before the moment, by their keys. */
const reportsBefore = (view: View, cause: SQL): SQL =>
  sql`select rc.report, reports.node, ${timeOf('reports')} as time from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = ${cause} and rc.report < ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
    order by rc.report desc limit ${literal(REPORTS_BEFORE)}`

/** Those that came before the moment, and whose keys lie after it: their clocks were ahead. */
const aheadBefore = (view: View, cause: SQL): SQL =>
  sql`select reports.id, reports.node, reports.receive_time from (select x.id from reports x indexed by reports_late
      where x.clock_flags & ${literal(CLOCKS.receive_time.bit)} and x.receive_time < back.time
      order by x.receive_time desc limit ${literal(REPORTS_BEFORE)}) late
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
