/**
 * Counts failures and drift of closed hours by cause, class and resource, and what broke with a version; notes what was seen for
 * the first time, and which stretches last.
 */

import type { SQL } from 'drizzle-orm'
import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { breakagesOfHour } from '../outcomes/breakages.ts'

import { stretchesAreStored } from '../outcomes/stretch.ts'
import { everyRun } from '../outcomes/view.ts'
import { dayNumber, HOURS_OF_DAY, hourNumber } from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import {
  ARE_ALL_COUNTED,
  BREAKAGES_OF_HOUR,
  COUNT_TO_LAST_HOUR,
  DELETE_OUTDATED,
  deleteHourGroups,
  DRIFT_OF_DAY,
  groupsOfHour,
  HOUR_GROUPINGS,
  HOUR_MARK,
  hitsOfHour,
  isClosedDay,
  isCountedHour,
  markHour,
  wholeHour,
  type CountedHour,
} from '../store/hour-groups.ts'
import { GRACE_MS } from './close-hours.ts'
import { knowSightingsFrom, rememberFirst } from '../store/sightings.ts'
import { storeStretches } from './store-stretches.ts'

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

export const plain = (sql: string): Statement => ({ sql, params: [] })
export const insertGroups = (groups: SQL, condition = '1'): Statement => {
  const { sql, params } = render(groups)
  return {
    sql: `insert or replace into hour_groups select * from (${sql}) where ${condition}`,
    params,
  }
}
/** Counts by cause, class and resource. @param condition SQL without which nothing is written */
export const countGroups = (hour: CountedHour, condition?: string): Statement[] => [
  ...Object.values(HOUR_GROUPINGS).map((grouping) =>
    insertGroups(groupsOfHour(grouping, hour), condition),
  ),
  ...rememberFirst((grouping) => hitsOfHour(grouping, hour)).map(plain),
]
const counting = (hour: number): Statement[] => [
  plain(deleteHourGroups(`select ${hour}`)),
  ...countGroups(wholeHour(hour)),
  plain(markHour(hour, HOUR_MARK)),
]

/**
 * Counts closed hours that lack their counts: new ones, ones that an older version of the service closed, and ones whose reports or
 * causes changed.
 *
 * @param now in ms
 * @param closed hours that were just closed. A late report outdates what broke in all hours after its own: many of them are counted
 *   again when the newest hour is among these, so once an hour
 * @returns how many hours were counted
 */
export async function groupHours(
  database: Database,
  now: number,
  closed: readonly number[],
): Promise<number> {
  const counted = await countHours(database, HOUR_MARK, (hours) => [
    ...hours.flatMap(counting),
    ...hours.slice(-1).map(knowSightingsFrom),
  ])
  await countOutcomes(database, now, closed)
  await groupDays(database, now)
  return counted
}

/** Days that readers look back, and the day in which that begins. */
const DAYS = 8
/** Days that are over and lack their drift. ?1 the first hours of days. */
const READ_DAYS = `select ${selectText(HOUR)} from (select value as hour from json_each(?1)) d
where not ${isCountedHour('d.hour', DRIFT_OF_DAY)} and ${isClosedDay('d.hour')}
and exists (select 1 from hour_counts c where c.hour >= d.hour and c.hour < d.hour + ${HOURS_OF_DAY})`

/** Counts the drift of the last days. An hour that opens meanwhile deletes them when it closes. */
async function groupDays(database: Database, now: number): Promise<void> {
  const today = dayNumber(hourNumber(now - GRACE_MS))
  const days = Array.from({ length: DAYS }, (_, index) => (today - 1 - index) * HOURS_OF_DAY)
  const [lacking] = await database.batch([
    typed(HOUR, { sql: READ_DAYS, params: [JSON.stringify(days)] }),
  ])
  if (lacking.length === 0) return
  await database.batch(
    lacking.flatMap(({ hour }) => {
      const day = { ...wholeHour(hour), behind: wholeHour(hour + HOURS_OF_DAY - 1).behind }
      return [
        insertGroups(groupsOfHour(HOUR_GROUPINGS.drift, day, DRIFT_OF_DAY)),
        plain(markHour(hour, DRIFT_OF_DAY)),
      ]
    }),
  )
}

const NEWEST = { hour: nullable(integer('max(hour)')), all: integer(ARE_ALL_COUNTED) }
const READ_NEWEST = `select ${selectText(NEWEST)} from hour_counts`

/** Counts what broke in closed hours, then which stretches lasted at the end of the newest one. */
async function countOutcomes(
  database: Database,
  now: number,
  closed: readonly number[],
): Promise<void> {
  const runs = everyRun(now)
  const [[newest], [stretches]] = await database.batch([
    typed(NEWEST, { sql: READ_NEWEST, params: [] }),
    stretchesAreStored(),
    ...DELETE_OUTDATED.map(plain),
  ])
  const isMany = newest!.hour !== null && closed.includes(newest!.hour)
  const counted = await countHours(database, BREAKAGES_OF_HOUR, (hours) =>
    isMany || hours.length < HOURS_AT_ONCE
      ? hours.flatMap((hour) => [
          insertGroups(breakagesOfHour(runs, wholeHour(hour))),
          plain(markHour(hour, BREAKAGES_OF_HOUR)),
        ])
      : [],
  )
  if (newest!.all === 0 && counted < (isMany ? MOST_BATCHES : 1) * HOURS_AT_ONCE)
    await database.batch([plain(COUNT_TO_LAST_HOUR)])
  // The stretches of the hour before tell the beginnings of these.
  if (stretches!.stored === 0) await storeStretches(database, runs)
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
    const writes = statements(hours)
    if (writes.length > 0) await database.batch(writes)
    counted += hours.length
    if (hours.length < HOURS_AT_ONCE || writes.length === 0) break
  }
  return counted
}
