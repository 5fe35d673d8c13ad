/**
 * The numbers of deleted reports by day, and of their failed runs by cause. Retention and freeing space add them in the
 * transaction that deletes the reports. They name no node.
 */

import { isFailedCode } from '../schema/states.ts'
import { COUNTED_BY } from '../sql/closed-hours.ts'
import {
  dayNumber,
  dayOfHour,
  hourNumber,
  hourOfKey,
  hourOfTime,
  timeOfRun,
} from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import { countedByHour } from './hour-counts.ts'

/** Most pairs of cause and environment that are kept of a batch, by their runs; a day that has so many takes no further ones. */
export const MOST_CAUSES_OF_DAY = 100

const COLUMNS = COUNTED_BY.join(', ')
const DAY_OF_REPORT = dayOfHour(hourOfKey('r.id'))

const countDays = (from: string): string => `insert into kept_days (day, groups)
with added as materialized (${countedByHour(DAY_OF_REPORT, from)})
select hour, json_group_array(json_array(${COLUMNS}, count) order by ${COLUMNS}) from (
  select hour, ${COLUMNS}, sum(count) as count from (
    select * from added
    union all select k.day, ${[...COUNTED_BY, 'count'].map((_, index) => `g.value ->> ${index}`).join(', ')}
    from kept_days k cross join json_each(k.groups) g where k.day in (select hour from added))
  group by hour, ${COLUMNS})
where true group by hour on conflict (day) do update set groups = excluded.groups`

const ADD_TO_DAY = `on conflict (day, cause, environment) do update set runs = runs + excluded.runs, nodes = max(nodes, excluded.nodes),
  first = min(first, excluded.first), last = max(last, excluded.last)`

const DAY_OF_RUN = dayOfHour(hourOfTime(timeOfRun('r')))

/** Of a full day, only what is there already is counted on. Each cause is looked up once, not for each of its runs. */
const countCauses = (
  from: string,
): string => `insert into cause_days (day, cause, environment, runs, nodes, first, last)
with counted as materialized (
  select ${DAY_OF_RUN} as day, rc.cause, r.environment, count(*) as runs, count(distinct r.node) as nodes,
    min(${timeOfRun('r')}) as first, max(${timeOfRun('r')}) as last
  from (select r.* ${from} and r.type = 0 and ${isFailedCode('r.state')}) r
  cross join report_causes rc indexed by report_causes_report on rc.report = r.id
  group by 1, 2, 3 order by runs desc, 2 limit ${MOST_CAUSES_OF_DAY}),
full as materialized (
  select day from cause_days where day in (select day from counted) group by day having count(*) >= ${MOST_CAUSES_OF_DAY})
select day, c.name, environment, runs, nodes, counted.first, last from counted cross join causes c on c.id = counted.cause
where day not in (select day from full) or exists (select 1 from cause_days d where d.day = counted.day and d.cause = c.name and d.environment = counted.environment)
${ADD_TO_DAY}`

/**
 * SQL that keeps the numbers of reports that are about to be deleted, while their causes are stored: one row written for each day,
 * and one or two for each of its causes.
 *
 * @param from SQL for the reports `r`, from FROM on, to which a condition can be added
 */
export const keepDays = (from: string): string[] => [countDays(from), countCauses(from)]

const KNOW_LESS = 'on conflict (id) do update set day = excluded.day where day < excluded.day'

/** SQL that says that not all that was deleted of the days up to one is kept. @param day SQL for its number */
export const lackKeptDays = (day: string): string =>
  `insert into kept_since (id, day) values (1, ${day} + 1) ${KNOW_LESS}`

/** Days are kept for so long: five years. */
const LONGEST_KEPT_DAYS = 5 * 366
/** Days of one call. Seven are due in a week. */
const DAYS_AT_ONCE = 31

/** ?1 the first day that stays. */
const DELETE_OLD_DAYS = [
  `insert into kept_since (id, day) select 1, ?1 where exists (select 1 from kept_days where day < ?1) ${KNOW_LESS}`,
  ...['kept_days', 'cause_days'].map(
    (table) =>
      `delete from ${table} where day < min(?1, (select min(day) from ${table}) + ${DAYS_AT_ONCE})`,
  ),
]

/** @param now in ms */
export const deleteOldKeptDays = (now: number): Statement[] =>
  DELETE_OLD_DAYS.map((sql) => ({
    sql,
    params: [dayNumber(hourNumber(now)) - LONGEST_KEPT_DAYS],
  }))

/** SQL that keeps the days of causes by their new names. ?1 rows of [old name, new name], each old name once. */
export const RENAME_CAUSE_DAYS: readonly string[] = [
  `insert into cause_days (day, cause, environment, runs, nodes, first, last)
select d.day, m.value ->> 1, d.environment, d.runs, d.nodes, d.first, d.last from json_each(?1) m
cross join cause_days d on d.cause = m.value ->> 0 where m.value ->> 0 <> m.value ->> 1 ${ADD_TO_DAY}`,
  `delete from cause_days where cause in (select value ->> 0 from json_each(?1) where value ->> 0 <> value ->> 1)`,
]
