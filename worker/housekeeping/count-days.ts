/** Adds up the hour counts of days that are over, so that counts over all history read a row a day. */

import { COUNTED_BY } from '../sql/closed-hours.ts'
import { integer, selectText, typed } from '../sql/columns.ts'
import { dayNumber, dayOfHour, firstHourOfDay, hourNumber, integerOf } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { GRACE_MS } from './close-hours.ts'

/** Days of one batch, and batches of one call. A day is some 300 hour counts. */
const DAYS_AT_ONCE = 31
const MOST_BATCHES = 20

const DAY = { day: integer('day') }
/**
 * Days before ?1 that have counts and no row. Goes from day to day by the key of `hour_counts`, so that it reads a row or two
 * of each.
 */
const READ_UNCOUNTED = `with recursive days(day) as (
  select ${dayOfHour('min(hour)')} from hour_counts
  union all select (select ${dayOfHour('c.hour')} from hour_counts c where c.hour >= ${firstHourOfDay('days.day + 1')} order by c.hour limit 1)
  from days where days.day < ?1)
select ${selectText(DAY)} from days where day < ?1 and day not in (select day from day_counts)
and day not in (select ${dayOfHour('hour')} from open_hours) order by day desc limit ${DAYS_AT_ONCE}`

const COLUMNS = COUNTED_BY.join(', ')

/** SQL for the row of `day_counts` that the hours of a day make; none for a day without hours. */
export const countsOfDay = (
  day: string,
): string => `select sum(count) as count, json_group_array(json_array(${COLUMNS}, count)) as groups
from (select ${COLUMNS}, sum(count) as count from hour_counts
  where hour >= ${firstHourOfDay(day)} and hour < ${firstHourOfDay(`${day} + 1`)} group by ${COLUMNS} order by ${COLUMNS})
having sum(count) > 0`
/** ?1 day. */
const COUNT_DAY = `insert or replace into day_counts (day, count, groups)
select ${integerOf('?1')}, count, groups from (${countsOfDay(integerOf('?1'))})`

/**
 * Counts the days that are over and have no open hour. A row stands until the counts of an hour of its day change: whatever
 * changes them deletes it in the same transaction.
 *
 * @param now in ms
 * @returns how many days were counted
 */
export async function countDays(database: Database, now: number): Promise<number> {
  const today = dayNumber(hourNumber(now - GRACE_MS))
  let counted = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [days] = await database.batch([typed(DAY, { sql: READ_UNCOUNTED, params: [today] })])
    if (days.length === 0) break
    await database.batch(days.map(({ day }): Statement => ({ sql: COUNT_DAY, params: [day] })))
    counted += days.length
    if (days.length < DAYS_AT_ONCE) break
  }
  return counted
}
