/** Runs by hour and state: closed hours by their counts, the rest by its reports. */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR } from '../../schema/clocks.ts'
import { rowsOfHours } from '../../sql/rollup.ts'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { hourOf } from '../key.ts'
import { inSpan, whole, wordOf, type View } from './view.ts'

const HOUR_OF_KEY = sql.raw(hourOf('reports.id >> 10'))

/**
 * [hour, state, runs]; the hour is that of the producer timestamp.
 *
 * @param certname the only node whose runs count; null for all
 */
export function timelineStatement(view: View, certname: string | null): Statement {
  const source = certname === null && view.ofHours ? counted(view) : sql`(${rows(view, certname)})`
  return render(sql`select t.hour as c0, t.state as c1, sum(t.count) as c2
    from ${source} t group by 1, 2 order by 1`)
}

/** Reports of the span, one by one. */
function rows(view: View, certname: string | null): SQL {
  const ofNode =
    certname === null
      ? sql``
      : sql` and reports.node = (select n.id from nodes n where n.certname = ${certname})`
  return sql`select ${HOUR_OF_KEY} as hour, reports.state as state, 1 as count
    from reports where ${inSpan(sql`reports.id`, view)} and ${view.where}${ofNode}`
}

/** Whole hours of the span that are closed by their counts; open ones, and what is left at both ends, by their reports. */
function counted(view: View): SQL {
  const first = Math.ceil(view.since / HOUR)
  const behind = Math.max(first, Math.floor(view.until / HOUR))
  const ends = [
    { ...view, until: Math.min(view.until, first * HOUR) },
    { ...view, since: Math.max(view.since, behind * HOUR) },
  ].filter(({ since, until }) => since < until)
  const inHours = (hour: SQL): SQL => sql`${hour} >= ${whole(first)} and ${hour} < ${whole(behind)}`
  const parts = [
    sql`select reports.hour, reports.state, reports.count from hour_counts as reports
      where ${inHours(sql`reports.hour`)} and ${view.where} and reports.hour not in (select hour from open_hours)`,
    sql`select ${HOUR_OF_KEY}, reports.state, 1 from ${rowsOfHours(sql`open_hours`, sql`open_hours.hour`)}
      where ${inHours(sql`open_hours.hour`)} and ${view.where}`,
    ...ends.map((end) => rows(end, null)),
  ]
  return sql`(${sql.join(parts, sql` union all `)})`
}

/**
 * Versions of code whose first report is in the span: [time, environment, version]. They are known by
 * environment only: where the fence is of another kind, none may be seen.
 */
export function deploysStatement({ since, until, ofHours, fenced, where }: View): Statement {
  const visible = ofHours ? where : sql.raw(fenced ? '0' : '1')
  return render(sql`select reports.first as c0, ${wordOf(sql`reports.environment`)} as c1, reports.version as c2
    from (select environment, version, first, 0 as type from code_versions) as reports
    where reports.first >= ${whole(since)} and reports.first < ${whole(until)} and ${visible} order by 1`)
}
