/** Runs by hour and state: closed hours by their counts, the rest by its reports. */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR } from '../schema/clocks.ts'
import { STATE_CODES } from '../schema/states.ts'
import { rowsOfHours } from '../sql/rollup.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { hourOf } from '../store/key.ts'
import { inSpan, whole, wordOf, type View } from './fragments.ts'

const HOUR_OF_KEY = sql.raw(hourOf('reports.id >> 10'))

/** A column for each code: a row of the result is read for each hour then, and none is sorted for being counted. */
const perState = (column: (isState: SQL) => SQL): SQL =>
  sql.join(
    STATE_CODES.map((code, index) => {
      const isState = sql.raw(`reports.state = ${code}`)
      return sql`${column(isState)} as ${sql.raw(`c${index + 1}`)}`
    }),
    sql`, `,
  )
const COUNTED = perState((isState) => sql`count(*) filter (where ${isState})`)
const SUMMED = perState((isState) => sql`coalesce(sum(reports.count) filter (where ${isState}), 0)`)

/**
 * [hour, runs of the first state, ...]: a row an hour, hours without runs may be missing; the states in the
 * order of STATE_CODES. The hour is that of the producer timestamp.
 *
 * @param certname the only node whose runs count; null for all
 */
export function timelineStatement(view: View, certname: string | null): Statement {
  return render(certname === null && view.ofHours ? byHours(view) : byReports(view, certname))
}

/** Reports of the span, one by one. */
function byReports(view: View, certname: string | null): SQL {
  const ofNode =
    certname === null
      ? sql``
      : sql` and reports.node = (select n.id from nodes n where n.certname = ${certname})`
  return sql`select ${HOUR_OF_KEY} as c0, ${COUNTED} from reports
    where ${inSpan(sql`reports.id`, view)} and ${view.where}${ofNode} group by 1`
}

/** Whole hours of the span that are closed by their counts; open ones, and what is left at both ends, by their reports. */
function byHours(view: View): SQL {
  const first = Math.ceil(view.since / HOUR)
  const behind = Math.max(first, Math.floor(view.until / HOUR))
  const ends = [
    { ...view, until: Math.min(view.until, first * HOUR) },
    { ...view, since: Math.max(view.since, behind * HOUR) },
  ].filter(({ since, until }) => since < until)
  const inHours = (hour: SQL): SQL => sql`${hour} >= ${whole(first)} and ${hour} < ${whole(behind)}`
  const parts = [
    sql`select reports.hour as c0, ${SUMMED} from hour_counts as reports
      where ${inHours(sql`reports.hour`)} and ${view.where} and reports.hour not in (select hour from open_hours)
      group by 1`,
    sql`select open_hours.hour as c0, ${COUNTED} from ${rowsOfHours(sql`open_hours`, sql`open_hours.hour`)}
      where ${inHours(sql`open_hours.hour`)} and ${view.where} group by 1`,
    ...ends.map(
      (end) => sql`select ${whole(Math.floor(end.since / HOUR))} as c0, ${COUNTED} from reports
      where ${inSpan(sql`reports.id`, end)} and ${view.where}`,
    ),
  ]
  return sql.join(parts, sql` union all `)
}

/**
 * Versions of code whose first report is in the span: [time, environment, version]. They are known by
 * environment only: where the row policy is of another kind, none is visible.
 */
export function deploysStatement({ since, until, ofHours, restricted, where }: View): Statement {
  const visible = ofHours ? where : sql.raw(restricted ? '0' : '1')
  return render(sql`select reports.first as c0, ${wordOf(sql`reports.environment`)} as c1, reports.version as c2
    from (select environment, version, first, 0 as type from code_versions) as reports
    where reports.first >= ${whole(since)} and reports.first < ${whole(until)} and ${visible} order by 1`)
}
