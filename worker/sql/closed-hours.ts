/** Reads the numbers of reports of closed hours: days that are counted as a whole by their row, other hours by their own rows. */

import { HOUR_DIMENSIONS, reports } from '../schema/tables.ts'
import { dayFrom, dayNumber, dayOfHour, firstHourOfDay } from './encoding.ts'
import { HOURS_SO_FAR } from './open-hours.ts'

/** The columns that hours and days are counted by, in the order of a day's lists. */
export const COUNTED_BY: readonly string[] = HOUR_DIMENSIONS.map(
  (property) => reports[property].name,
)

/** Beyond the hours of every report. */
export const EVER = 1e13

/** A span of whole hours. */
export interface HourSpan {
  readonly first: number
  readonly behind: number
}

/** The condition that the row of a day says what its hours do. */
const isCounted = (day: string): string =>
  `${day} not in (select ${dayOfHour('hour')} from open_hours)`

/** The first hour of the first counted day from `day` on, else the end of the span. */
const nextCounted = (day: string | number, { behind }: HourSpan): string =>
  `coalesce((select ${firstHourOfDay('n.day')} from day_counts n
    where n.day >= ${day} and n.day < ${dayNumber(behind)} and ${isCounted('n.day')} order by n.day limit 1), ${behind})`

/**
 * Counted days, and the hours in the gaps between them. A gap begins with the span, or after a day that no counted day
 * follows.
 *
 * @param more SQL that goes on from there
 */
function source(span: HourSpan, ofHour: string, ofDay: string, more = ''): string {
  const inSpan = `d.day >= ${dayFrom(span.first)} and d.day < ${dayNumber(span.behind)} and ${isCounted('d.day')}`
  return `(with gaps as materialized (
    select ${span.first} as first, ${nextCounted(dayFrom(span.first), span)} as behind
    union all select ${firstHourOfDay('d.day + 1')}, ${nextCounted('d.day + 1', span)} from day_counts d
    where ${inSpan} and not exists (select 1 from day_counts n
      where n.day = d.day + 1 and n.day < ${dayNumber(span.behind)} and ${isCounted('n.day')}))
  select ${ofHour}, c.count from gaps cross join hour_counts c on c.hour >= gaps.first and c.hour < gaps.behind
  where gaps.first < gaps.behind and c.hour not in (select hour from open_hours)
  union all select ${ofDay} where ${inSpan}${more})`
}

const HOUR_COLUMNS = ['hour', ...COUNTED_BY].map((name) => `c.${name} as ${name}`).join(', ')
const LISTED = [...COUNTED_BY, 'count'].map((name, index) => `g.value ->> ${index} as ${name}`)
const DAY_COLUMNS = [`${firstHourOfDay('d.day')} as hour`, ...LISTED].join(', ')

/** SQL for tables of `hour`, the columns of COUNTED_BY and `count`: a row for each hour and group, of closed hours, and of open ones that are counted so far. Grouping both in one would sort them. */
export const groupsByHour = ({ first, behind }: HourSpan): readonly string[] => [
  `(select ${HOUR_COLUMNS}, c.count from hour_counts c
  where c.hour >= ${first} and c.hour < ${behind} and c.hour not in (select hour from open_hours))`,
  `(select o.hour, ${LISTED.join(', ')} from ${HOURS_SO_FAR} cross join json_each(so_far.groups) g where o.hour >= ${first} and o.hour < ${behind})`,
]

/** Like groupsByHour, in one table and with one row per group and counted day, which has the day's first hour. */
export const groupsByDay = (span: HourSpan): string =>
  source(
    span,
    HOUR_COLUMNS,
    `${DAY_COLUMNS} from day_counts d cross join json_each(d.groups) g`,
    ` union all select * from ${groupsByHour(span)[1]}`,
  )

/** SQL for the deleted runs of the days of a span, the last of which may go on, in the columns of groupsByDay. */
export const keptGroupsByDay = ({ first, behind }: HourSpan): string =>
  `(select ${DAY_COLUMNS} from kept_days d cross join json_each(d.groups) g where d.day >= ${dayFrom(first)} and d.day < ${dayFrom(behind)})`

/** SQL for the number of reports that are counted: a row for each counted day. */
export const REPORTS_OF_COUNTED_HOURS = `(select coalesce(sum(count), 0) from ${source({ first: -EVER, behind: EVER }, '0', '0, d.count from day_counts d', ` union all select 0, g.value ->> ${COUNTED_BY.length} from ${HOURS_SO_FAR} cross join json_each(so_far.groups) g`)})`
