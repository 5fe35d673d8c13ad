/** The stretch of time through which nodes fail by a cause: it ends at the first moment at which none does any more. */

import { sql, type SQL } from 'drizzle-orm'
import { firstKeyOf, literal } from '../../sql/encoding.ts'
import { isCounted, nextRun, timeOfRun } from '../fragments.ts'
import type { View } from '../view.ts'

/** Reports with the cause before a moment, in which a node that still failed then is looked for. */
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
    select (select ${timeOfRun(sql`x`)} from reports x where x.id = (select ${firstOf(view, cause)}
        from (select rc.report, reports.node from report_causes rc cross join reports on reports.id = rc.report
          where rc.cause = ${cause} and rc.report < ${firstKeyOf(sql`back.time`)} and ${isCounted(view)}
          order by rc.report desc limit ${literal(REPORTS_BEFORE)}) r
        where coalesce(${nextRun(view, sql`r.node`, sql`r.report`)}, 0) >= ${firstKeyOf(sql`back.time`)}
        order by r.report limit 1)), step + 1
    from back where time is not null and step < ${literal(STEPS_BACK)})
  select min(time) from back)`

/** The first report with the cause of the node that failed by it with the report `r`, since its last run without the cause. */
const firstOf = (view: View, cause: SQL): SQL =>
  nextRun(
    view,
    sql`r.node`,
    sql`coalesce((select x.id from reports x indexed by reports_node where x.node = r.node and x.type = 0 and x.id < r.report
      and not exists (select 1 from report_causes y where y.cause = ${cause} and y.report = x.id) order by x.id desc limit 1), ${literal(Number.MIN_SAFE_INTEGER)})`,
  )
