/** Counts failures and drift of closed hours by cause, class and resource, and notes what was seen for the first time. */

import { integer, selectText, typed } from '../sql/columns.ts'
import type { SQL } from 'drizzle-orm'
import { stretchesAtEnd } from '../insight/causes/stretch.ts'
import { breakagesOfHour } from '../insight/deploys/breakages.ts'
import { readScope } from '../insight/scope.ts'
import { viewOf } from '../insight/view.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import {
  BREAKAGES_OF_HOUR,
  COUNT_TO_LAST_HOUR,
  DELETE_OLD_STRETCHES,
  deleteHourGroups,
  groupsOfHour,
  HOUR_GROUPINGS,
  HOUR_MARK,
  hitsOfHour,
  isCountedHour,
  markHour,
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
const readUncounted = (kind: number): string => `with recursive hours(hour) as (
  select max(hour) from hour_counts
  union all select (select c.hour from hour_counts c where c.hour < hours.hour order by c.hour desc limit 1) from hours where hours.hour is not null)
select ${selectText(HOUR)} from hours where hour is not null and not ${isCountedHour('hours.hour', kind)}
and hour not in (select hour from open_hours) limit ${HOURS_AT_ONCE}`

const plain = (sql: string): Statement => ({ sql, params: [] })
const insertGroups = (groups: SQL): Statement => {
  const { sql, params } = render(groups)
  return { sql: `insert or replace into hour_groups ${sql}`, params }
}
const counting = (hour: number): Statement[] => [
  plain(deleteHourGroups(String(hour))),
  ...Object.values(HOUR_GROUPINGS).map((grouping) => insertGroups(groupsOfHour(grouping, hour))),
  ...rememberFirst((grouping) => hitsOfHour(grouping, hour)).map(plain),
  plain(markHour(hour, HOUR_MARK)),
]

/**
 * Counts closed hours that lack their counts: new ones, ones that an older version of the service closed, and ones whose reports or
 * causes changed.
 *
 * @param now in ms
 * @returns how many hours were counted
 */
export async function groupHours(database: Database, now: number): Promise<number> {
  const counted = await countHours(database, HOUR_MARK, (hours) => [
    ...hours.flatMap(counting),
    knowSightingsFrom(hours.at(-1)!),
  ])
  const view = await viewOf(database, readScope({}, now, null))
  const broke = await countHours(database, BREAKAGES_OF_HOUR, (hours) =>
    hours.flatMap((hour) => [
      insertGroups(breakagesOfHour(view, hour)),
      plain(markHour(hour, BREAKAGES_OF_HOUR)),
    ]),
  )
  if (broke < MOST_BATCHES * HOURS_AT_ONCE) await database.batch([plain(COUNT_TO_LAST_HOUR)])
  // The stretches of the hour before tell the beginnings of these.
  await database.batch([insertGroups(stretchesAtEnd(view)), plain(DELETE_OLD_STRETCHES)])
  return counted
}

/** Counts hours that lack the counts of a kind. @returns how many */
async function countHours(
  database: Database,
  kind: number,
  statements: (hours: readonly number[]) => readonly Statement[],
): Promise<number> {
  let counted = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [found] = await database.batch([typed(HOUR, { sql: readUncounted(kind), params: [] })])
    const hours = found.map(({ hour }) => hour)
    if (hours.length > 0) await database.batch(statements(hours))
    counted += hours.length
    if (hours.length < HOURS_AT_ONCE) break
  }
  return counted
}
