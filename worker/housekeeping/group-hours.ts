/** Counts failures and drift of closed hours by cause, class and resource, and notes what was seen for the first time. */

import { integer, selectText, typed } from '../sql/columns.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import {
  deleteHourGroups,
  groupsOfHour,
  HOUR_GROUPINGS,
  hitsOfHour,
  isCountedHour,
  markHours,
} from '../store/hour-groups.ts'
import { knowSightingsFrom, rememberFirst } from '../store/sightings.ts'

/** Hours of one batch, of seven statements each: D1 takes a hundred. And batches of one call. */
const HOURS_AT_ONCE = 12
const MOST_BATCHES = 40

const HOUR = { hour: integer('hour') }
/**
 * Closed hours that lack their counts, newest first. Goes from hour to hour by the key of `hour_counts`, so that it reads a row
 * or two of each.
 */
const READ_UNCOUNTED = `with recursive hours(hour) as (
  select max(hour) from hour_counts
  union all select (select c.hour from hour_counts c where c.hour < hours.hour order by c.hour desc limit 1) from hours where hours.hour is not null)
select ${selectText(HOUR)} from hours where hour is not null and not ${isCountedHour('hours.hour')}
and hour not in (select hour from open_hours) limit ${HOURS_AT_ONCE}`

const COLUMNS = 'hour_groups (kind, hour, environment, part, groups)'

const counting = (hour: number): Statement[] => [
  { sql: deleteHourGroups(String(hour)), params: [] },
  ...Object.values(HOUR_GROUPINGS).map((grouping) => {
    const { sql, params } = render(groupsOfHour(grouping, hour))
    return { sql: `insert into ${COLUMNS} ${sql}`, params }
  }),
  ...rememberFirst((grouping) => hitsOfHour(grouping, hour)).map((sql) => ({ sql, params: [] })),
  { sql: markHours(`select ${hour} as hour`), params: [] },
]

/**
 * Counts closed hours that lack their counts: new ones, ones that an older version of the service closed, and ones whose reports or
 * causes changed.
 *
 * @returns how many hours were counted
 */
export async function groupHours(database: Database): Promise<number> {
  let counted = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [found] = await database.batch([typed(HOUR, { sql: READ_UNCOUNTED, params: [] })])
    const hours = found.map(({ hour }) => hour)
    if (hours.length === 0) break
    await database.batch([...hours.flatMap(counting), knowSightingsFrom(hours.at(-1)!)])
    counted += hours.length
    if (hours.length < HOURS_AT_ONCE) break
  }
  return counted
}
