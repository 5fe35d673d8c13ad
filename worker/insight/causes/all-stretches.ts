/**
 * All stretches of days in which nodes failed by a cause: from the stored reports, and from what is kept of deleted ones. Hours are
 * not kept of these, so a stretch ends where a whole day (UTC) had no such run.
 */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { integer, nullable, select, type RowOf } from '../../sql/columns.ts'
import {
  dayOfHour,
  firstHourOfDay,
  firstKeyOfHour,
  hourNumber,
  hourOfKey,
  hourOfTime,
  literal,
  millisecondOfKey,
  timeOfRun,
} from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { nodesInRanges } from '../../store/hits.ts'
import { ENTRY, gapsBetween, HOUR_GROUPINGS, HOUR_MARK } from '../../store/hour-groups.ts'
import { KEPT_SINCE } from '../../store/kept-since.ts'
import type { View } from '../view.ts'
import { DELETED_BEFORE } from './first-seen.ts'

/** Most stretches listed, the newest first. */
export const MOST_STRETCHES = 50
/** Most runs that are read, the newest first, where the counts of hours and days can't answer. */
const MOST_READ = 10_000

/** A stretch of days, each with a run that failed by the cause. */
export interface CauseStretch {
  /** Its first and last failed run. */
  readonly since: Timestamp
  readonly until: Timestamp
  readonly runs: number
  /** Of the runs, those that were deleted since. */
  readonly deleted: number
  /** At least so many nodes: the most that were counted at a time. */
  readonly nodes: number
}

const STRETCH = {
  since: integer(sql`s.first`),
  until: integer(sql`s.last`),
  runs: integer(sql`s.runs`),
  deleted: integer(sql`s.deleted`),
  nodes: integer(sql`s.nodes`),
  /** In ms; null where all is known. */
  known: nullable(integer(sql`s.known`)),
}
type Row = RowOf<typeof STRETCH>

/** @param name of the cause */
export const allStretches = (view: View, name: string): TypedStatement<Row> => {
  const { days, known } = view.ofEnvironments ? countedDays(view, name) : readDays(view, name)
  return select(
    STRETCH,
    sql`from (with recursive ${days}
      select min(first) as first, max(last) as last, sum(runs) as runs, sum(deleted) as deleted, max(nodes) as nodes, (${known}) as known
      from (select *, number - row_number() over (order by number) as island
        from (select number, sum(runs) as runs, sum(deleted) as deleted, max(nodes) as nodes, min(first) as first, max(last) as last
          from found where number <= ${dayOfHour(literal(hourNumber(view.now)))} group by number))
      group by island order by 1 desc limit ${literal(MOST_STRETCHES)}) s`,
  )
}

export const stretchesOf = (
  rows: readonly Row[],
): { readonly stretches: readonly CauseStretch[]; readonly known: Timestamp | null } => {
  const known = rows[0]?.known ?? null
  return {
    stretches: rows.map(({ since, until, known: _, ...numbers }) => ({
      since: formatTimestamp(since),
      until: formatTimestamp(until),
      ...numbers,
    })),
    known: known === null ? null : formatTimestamp(known),
  }
}

const idOf = (name: string): SQL => sql`(select id from causes where name = ${name})`
const dayOfKey = (key: SQL): SQL => dayOfHour(hourOfKey(key))
const TIME = sql.raw(timeOfRun('reports'))
const DAY_OF_RUN = dayOfHour(hourOfTime(TIME))
const of = (place: number): SQL => sql.raw(`g.value ->> ${place}`)

interface Days {
  /** Tables of a WITH clause; `found` has rows of a day's number, several for a day. */
  readonly days: SQL
  /** SQL for the time from which on they know every run, in ms. */
  readonly known: SQL
}

/** By environment: counted hours of the days that have the cause, the reports of other hours, and what is kept of deleted ones. */
function countedDays({ where, now }: View, name: string): Days {
  const cause = idOf(name)
  const firstFrom = (from: SQL): SQL =>
    sql`(select ${dayOfKey(sql`rc.report`)} from report_causes rc where rc.cause = ${cause} ${from} order by rc.report limit 1)`
  const firstRun = sql`(select ${TIME} from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = ${cause} and rc.report >= ${firstKeyOfHour(sql`c.hour`)} and ${where} order by rc.report limit 1)`
  const days = sql`day (number) as (select ${firstFrom(sql``)} union all
      select ${firstFrom(sql`and rc.report >= ${firstKeyOfHour(firstHourOfDay(sql`number + 1`))}`)} from day where number is not null),
    marked as materialized (select h.hour, ${firstKeyOfHour(sql`(h.hour + 1)`)} as behind from day cross join hour_groups h on h.kind = ${literal(HOUR_MARK)}
      and h.hour >= ${firstHourOfDay(sql`number`)} and h.hour < ${firstHourOfDay(sql`number + 1`)}
      where h.hour < ${literal(hourNumber(now))} and h.hour not in (select hour from open_hours)),
    gap as materialized (${gapsBetween('marked', literal(Number.MIN_SAFE_INTEGER), literal(Number.MAX_SAFE_INTEGER))}),
    found as materialized (
      select number, runs, 0 as deleted, nodes, ${firstRun} as first, last from (
        select ${dayOfHour(sql`reports.hour`)} as number, min(reports.hour) as hour, sum(${of(ENTRY.reports)}) as runs,
          max(${sql.raw(nodesInRanges(`g.value ->> ${ENTRY.nodes}`))}) as nodes, ${millisecondOfKey(sql`max(${of(ENTRY.last)})`)} as last
        from (select h.hour, h.environment, 0 as type, h.groups from marked
          cross join hour_groups h on h.kind = ${literal(HOUR_GROUPINGS.cause.kind)} and h.hour = marked.hour) as reports
        cross join json_each(reports.groups) g where ${of(ENTRY.label)} = ${cause} and ${where} group by 1) c
      union all select ${DAY_OF_RUN}, count(*), 0, count(distinct reports.node), min(${TIME}), max(${TIME})
      from gap cross join report_causes rc on rc.cause = ${cause} and rc.report >= gap.first and rc.report < gap.behind
      cross join reports on reports.id = rc.report where ${where} group by 1
      union all select reports.day, reports.runs, reports.runs, reports.nodes, reports.first, reports.last
      from (select *, 0 as type from cause_days where cause = ${name}) as reports where ${where})`
  return { days, known: KEPT_SINCE }
}

/** The runs themselves: of deleted ones no node is known. */
const readDays = ({ where }: View, name: string): Days => ({
  days: sql`run as materialized (select ${TIME} as time, reports.node from report_causes rc cross join reports on reports.id = rc.report
      where rc.cause = ${idOf(name)} and ${where} order by rc.report desc limit ${literal(MOST_READ)}),
    found as (select ${dayOfHour(hourOfTime(sql`time`))} as number, count(*) as runs, 0 as deleted, count(distinct node) as nodes,
      min(time) as first, max(time) as last from run group by 1)`,
  known: sql`select iif(count(*) = ${literal(MOST_READ)}, min(time), ${millisecondOfKey(DELETED_BEFORE)}) from run`,
})
