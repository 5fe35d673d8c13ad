/**
 * The counts of what failed and drifted in closed hours: by cause, by the class of a failed resource, and by the resource that
 * drifted. An hour with a mark (kind 0) is counted; any other is read from its reports. Whatever changes the reports of a
 * counted hour deletes its rows in the same transaction, and housekeeping counts it again. An open hour may be counted up to a
 * key (sql/open-hours.ts). Further kinds of rows say which nodes broke with a version in an hour, and which stretches of causes last.
 */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR } from '../lib/time.ts'
import {
  dayOfHour,
  firstHourOfDay,
  firstKey,
  firstKeyOfHour,
  HOURS_OF_DAY,
  hourStart,
  literal,
} from '../sql/encoding.ts'
import { FIRST_UNCOUNTED, HOURS_SO_FAR, SO_FAR } from '../sql/open-hours.ts'
import type { Statement } from '../sql/statement.ts'
import { hits, nodeRanges, notableReports, type Grouping } from './hits.ts'

/** The groupings that hours are counted by, with their `kind`. */
export const HOUR_GROUPINGS = {
  cause: { kind: 1, of: { kind: 'failure', by: 'reason' } },
  class: { kind: 2, of: { kind: 'failure', by: 'class' } },
  drift: { kind: 3, of: { kind: 'corrective', by: 'resource' } },
} as const satisfies Readonly<Record<string, { kind: number; of: Grouping }>>
export type HourGrouping = (typeof HOUR_GROUPINGS)[keyof typeof HOUR_GROUPINGS]

/** The grouping that hours are counted by, if there is one. */
export const hourGroupingOf = ({ kind, by }: Grouping): HourGrouping | null =>
  Object.values(HOUR_GROUPINGS).find(({ of }) => of.kind === kind && of.by === by) ?? null

/** Kind of the rows that mark counted hours. */
export const HOUR_MARK = 0

/** Kind of the rows with the nodes that broke in an hour with a version (outcomes/breakages.ts). Each hour that has them has one of no environment, too. */
export const BREAKAGES_OF_HOUR = 4
/** Kind of the row that says up to which hour all hours have them, as its hour. There is none while an hour lacks them. */
const COUNTED_TO = 5
/** SQL condition that there is one. */
export const ARE_ALL_COUNTED = `exists (select 1 from hour_groups where kind = ${COUNTED_TO})`

/** SQL that says so of the last hour with reports; the one before is deleted with the counts of any hour. */
export const COUNT_TO_LAST_HOUR = `insert or ignore into hour_groups select ${COUNTED_TO}, hour, 0, 0, '' from (select max(hour) as hour from hour_counts) where hour is not null`

const LAST_HOUR = `max(h.hour, coalesce((select max(hour) from open_hours), h.hour))`
/** The first key from which on breakages are found in the reports: of open hours, or behind the hours that have theirs. */
export const UNCOUNTED_FROM = sql.raw(
  `coalesce((select coalesce(${FIRST_UNCOUNTED}, ${firstKeyOfHour(`(${LAST_HOUR} + 1)`)}) from hour_groups h where h.kind = ${COUNTED_TO}), ${Number.MIN_SAFE_INTEGER})`,
)

/** Kind of the row with the stretches of causes that lasted when an hour began (outcomes/stretch.ts). */
export const STRETCHES = 6
const DELETE_STRETCHES = `delete from hour_groups where kind = ${STRETCHES}`
/** For what may have changed their beginnings, and where there are later ones. */
export const FORGET_STRETCHES = { sql: DELETE_STRETCHES, params: [] }
const DELETE_OLD_STRETCHES = `${DELETE_STRETCHES} and hour < (select max(hour) from hour_groups where kind = ${STRETCHES})`

/** Reserves the row of the stretches that lasted when the hour after the last closed one began, for as long as nothing forgets them. */
export const RESERVE_STRETCHES: Statement = {
  sql: `insert or replace into hour_groups select ${STRETCHES}, max(hour) + 1, 0, 0, '{}' from hour_counts having max(hour) is not null`,
  params: [],
}

/**
 * Fills the reserved row, and deletes those before it.
 *
 * @param hour that began then @param inactive which nodes were inactive, as JSON @param since beginnings in ms by cause
 */
export const fillStretches = (
  hour: number,
  inactive: string,
  since: Readonly<Record<number, number | null>>,
): Statement[] => [
  {
    sql: `update hour_groups set groups = json_object('time', hour * ${HOUR}, 'inactive', json(?2), 'since', json(?3)) where kind = ${STRETCHES} and hour = ?1`,
    params: [hour, inactive, JSON.stringify(since)],
  },
  { sql: DELETE_OLD_STRETCHES, params: [] },
]

/** Kind of the rows after whose hours breakages are outdated. */
const OUTDATED = 7

/**
 * SQL statements that outdate the breakages and stretches after an hour in which reports came late: they may follow from those
 * reports. Few rows, as they are written with the counts of the hour.
 */
export const outdateLater = (hour: string): readonly string[] => [
  `delete from hour_groups where kind = ${STRETCHES} and hour > ${hour}`,
  `insert or ignore into hour_groups select ${OUTDATED}, late.hour, 0, 0, '' from (select ${hour} as hour) late
where exists (select 1 from hour_groups h where h.kind in (${BREAKAGES_OF_HOUR}, ${SO_FAR}) and h.hour > late.hour)`,
]

/** SQL statements that delete outdated breakages. */
export const DELETE_OUTDATED: readonly string[] = [
  `delete from hour_groups where kind in (${BREAKAGES_OF_HOUR}, ${SO_FAR}) and hour > (select min(hour) from hour_groups where kind = ${OUTDATED})`,
  `delete from hour_groups where kind = ${OUTDATED}`,
]

/** SQL condition that the breakages of an hour are stored, and not outdated. */
export const mayCheckBreakages = (hour: number): string =>
  `exists (select 1 from hour_groups m where m.kind = ${BREAKAGES_OF_HOUR} and m.hour = ${hour} and m.environment = 0)
and not exists (select 1 from hour_groups o where o.kind = ${OUTDATED} and o.hour < ${hour})`

/** The label of all groups of an hour together: its reports and nodes, each once. */
export const ANY_LABEL = 0

/** The places of an entry of `groups`: a list for each label. `n` and the resource are the last report's. */
export const ENTRY = {
  label: 0,
  reports: 1,
  events: 2,
  last: 3,
  n: 4,
  resource: 5,
  /** As `idsOfRanges` reads them. */
  nodes: 6,
  resources: 7,
} as const

/** Labels of a row: a row stays far below what D1 stores in one. */
const LABELS_AT_ONCE = 500

/** An hour, a part of it, or the hours from it on: the keys from one to another. */
export interface CountedHour {
  readonly hour: number
  readonly first: number
  readonly behind: number
}

export const wholeHour = (hour: number): CountedHour => ({
  hour,
  first: firstKey(hourStart(hour)),
  behind: firstKey(hourStart(hour + 1)),
})

/** Condition that a key is of it. */
export const isCountedKey = (key: string, { first, behind }: CountedHour): string =>
  `${key} >= ${first} and ${key} < ${behind}`

/** Number of the first row of a part: rows of several parts of an hour stand beside each other, and add up. */
export const firstRowOf = ({ hour, first }: CountedHour): SQL =>
  literal(first - firstKey(hourStart(hour)))

/** Agent reports of an hour that may have such groups. */
export const hitsOfHour = ({ of }: HourGrouping, hour: CountedHour): SQL =>
  hits(of, notableReports(sql`${sql.raw(isCountedKey('reports.id', hour))} and reports.type = 0`))

/** SQL for the rows of `hour_groups` that the reports of an hour make. @param kind their kind */
export const groupsOfHour = (
  grouping: HourGrouping,
  hour: CountedHour,
  kind: number = grouping.kind,
): SQL =>
  sql`with hit as materialized (${hitsOfHour(grouping, hour)}),
    every as materialized (select * from hit
      union all select ${literal(ANY_LABEL)}, report, node, environment, 0, null, null from hit),
    member as materialized (${nodeRanges('environment, label', sql`from every`)}),
    named as materialized (select environment, label, group_concat(resource, ',' order by resource) as resources
      from (select distinct environment, label, resource from hit where resource is not null) group by environment, label),
    counted as (select environment, label, count(distinct report) as reports, sum(events) as events, max(report) as last, n, resource
      from every group by environment, label),
    listed as (select counted.environment, counted.label, (row_number() over (partition by counted.environment order by counted.label) - 1) / ${literal(LABELS_AT_ONCE)} + ${firstRowOf(hour)} as part,
      json_array(counted.label, counted.reports, counted.events, counted.last, counted.n, counted.resource, member.nodes, named.resources) as entry
      from counted cross join member on member.environment = counted.environment and member.label = counted.label
      left join named on named.environment = counted.environment and named.label = counted.label)
  select ${literal(kind)} as kind, ${literal(hour.hour)} as hour, environment, part, json_group_array(json(entry) order by label) as groups
  from listed group by environment, part`

/** SQL for the kinds of all rows of an hour. */
const KINDS = [
  HOUR_MARK,
  ...Object.values(HOUR_GROUPINGS).map(({ kind }) => kind),
  BREAKAGES_OF_HOUR,
  SO_FAR,
].join(', ')

/**
 * Kind of the rows with the drift of a whole day, by its first hour: of a week, those of hours are thousands. A day that has them
 * has one of no environment, too.
 */
export const DRIFT_OF_DAY = 9

const dayWith = (hour: string): string => firstHourOfDay(dayOfHour(hour))
/** SQL condition that no hour of a day is open. @param hour SQL for its first */
export const isClosedDay = (hour: string): string =>
  `not exists (select 1 from open_hours o where o.hour >= ${hour} and o.hour < ${hour} + ${HOURS_OF_DAY})`

/** SQL that deletes the counts of hours, which are then read from their reports. @param hours SELECT of them */
export const deleteHourGroups = (hours: string): string =>
  `with changed (hour) as materialized (${hours}) delete from hour_groups where (kind in (${KINDS}) and hour in (select hour from changed))
or (kind = ${DRIFT_OF_DAY} and hour in (select ${dayWith('hour')} from changed)) or kind = ${COUNTED_TO}`

/** SQL condition that an hour and all after it were never closed. */
export const isNeverClosed = (hour: string): string =>
  `${hour} > coalesce((select max(hour) from hour_counts), ${hour} - 1)`

/** SQL that deletes what of an hour and of those after it was counted before they close: what broke follows from earlier reports. */
export const deleteSoFar = (hour: number): string =>
  `delete from hour_groups where kind in (${KINDS}) and hour >= ${hour} and ${isNeverClosed('hour')}`

/** SQL that marks an hour as counted; the counts are in the same batch. */
export const markHour = (hour: number, kind: number): string =>
  `insert or replace into hour_groups values (${kind}, ${hour}, 0, 0, '[]')`

/** SQL condition that an hour is counted, whether or not it is open again: it has rows of no environment. */
export const isCountedHour = (hour: string, kind: number): string =>
  `exists (select 1 from hour_groups m where m.kind = ${kind} and m.hour = ${hour} and m.environment = 0)`

/**
 * The table `marked` of a WITH clause: the counted hours of a span of whole hours, as rows of `hour`, the key `behind` what is
 * counted of it, and the `kind` of the rows that count it.
 *
 * @param span of drift, whole days before the hour `days` take the place of their hours
 */
export const countedHours = (
  { kind }: HourGrouping,
  {
    first,
    behind,
    days,
  }: { readonly first: number; readonly behind: number; readonly days: number },
): SQL => {
  const [from, to] = [literal(first), literal(behind)]
  const ofHours = literal(kind)
  return sql`day as materialized (select d.hour, ${firstKeyOfHour(sql`(d.hour + ${literal(HOURS_OF_DAY)})`)} as behind, d.kind from hour_groups d
      where d.kind = ${literal(DRIFT_OF_DAY)} and d.environment = 0
        and d.hour >= ${from} and d.hour <= ${literal(days - HOURS_OF_DAY)} and ${sql.raw(isClosedDay('d.hour'))}),
    marked as materialized (select * from day
      union all select h.hour, ${firstKeyOfHour(sql`(h.hour + 1)`)}, ${ofHours} from hour_groups h where h.kind = ${literal(HOUR_MARK)}
        and h.hour >= ${from} and h.hour < ${to} and h.hour not in (select hour from open_hours) and ${sql.raw(dayWith('h.hour'))} not in (select hour from day)
      union all select o.hour, o.counted, ${ofHours} from ${sql.raw(HOURS_SO_FAR)} where o.hour >= ${from} and o.hour < ${to})`
}

/**
 * SQL for the ranges of keys of a span that counted hours leave, as rows of `first` and `behind`.
 *
 * @param counted name of a table of `countedHours`
 */
export const gapsBetween = (counted: string, first: SQL, behind: SQL): SQL => {
  const hours = sql.raw(counted)
  const start = sql.raw(firstKeyOfHour('hour'))
  return sql`select * from (
    select ${first} as first, coalesce((select ${sql.raw(firstKeyOfHour('min(hour)'))} from ${hours}), ${behind}) as behind
    union all select behind, lead(${start}, 1, ${behind}) over (order by hour) from ${hours})
  where first < behind`
}
