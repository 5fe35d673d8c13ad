/**
 * Counts open hours up to the present, between the hourly runs of housekeeping: of a large fleet, readers would read tens of
 * thousands of reports one by one.
 */

import { MINUTE } from '../lib/time.ts'
import { breakagesOfHour } from '../outcomes/breakages.ts'
import { everyRun, type Runs } from '../outcomes/view.ts'
import { isFull } from '../schema/capacity.ts'
import type { Settings } from '../schema/settings.ts'
import { COUNTED_BY } from '../sql/closed-hours.ts'
import { integer, selectText, typed } from '../sql/columns.ts'
import { firstKey, firstKeyOfHour, hourOfKey, integerOf } from '../sql/encoding.ts'
import { SO_FAR, UNCOUNTED_HOURS } from '../sql/open-hours.ts'
import type { Database } from '../store/database.ts'
import {
  deleteSoFar,
  isCountedKey,
  isNeverClosed,
  wholeHour,
  type CountedHour,
} from '../store/hour-groups.ts'
import { countGroups, insertGroups, plain } from './group-hours.ts'
import { countedByHour } from './hour-counts.ts'

/** While fewer reports are not counted, they are read from their rows. */
const LEAST_UNCOUNTED = 1000
/** A report arrives so long after its producer timestamp, or is late. */
const DELAY_MS = MINUTE

const KEY = integerOf('?1')
const OPEN = {
  hour: integer('hour'),
  first: integer('first'),
  uncounted: integer(
    `(select count(*) from (select 1 from reports r where r.id >= open_hours.first and r.id < min(${KEY}, ${firstKeyOfHour('(open_hours.hour + 1)')}) limit ?2))`,
  ),
}
/** The present hour and the one before it. ?1 a key, ?2 how many reports are counted at most. */
const READ_OPEN = `select ${selectText(OPEN)} from ${UNCOUNTED_HOURS}
where hour between ${hourOfKey(KEY)} - 1 and ${hourOfKey(KEY)} and ${isNeverClosed('hour')} order by hour`

const COLUMNS = COUNTED_BY.join(', ')

/**
 * Counts a part of an hour, a transaction for each kind of counts, between which reports are stored. A row of another environment
 * than the one that holds says so meanwhile: what changes the counts, closes the hour or counts it again deletes that, too.
 */
async function countPart(database: Database, runs: Runs, part: CountedHour): Promise<void> {
  const { hour, first, behind } = part
  const soFar = `kind = ${SO_FAR} and hour = ${hour}`
  const mark = `${soFar} and environment = 1 and part = ${behind}`
  const goesOn = `exists (select 1 from hour_groups where ${mark})`
  const counted = countedByHour(String(hour), `from reports r where ${isCountedKey('r.id', part)}`)
  const begin =
    first === wholeHour(hour).first
      ? [
          deleteSoFar(hour),
          `insert into hour_groups select ${SO_FAR}, ${hour}, 1, ${behind}, '[]' where ${isNeverClosed(String(hour))}`,
        ]
      : [
          `update hour_groups set environment = 1, part = ${behind} where ${soFar} and environment = 0 and part = ${first}
and exists (select 1 from open_hours where hour = ${hour} and counted = ${first})`,
        ]
  await database.batch(
    [...begin, `update open_hours set counted = ${behind} where hour = ${hour} and ${goesOn}`].map(
      plain,
    ),
  )
  const counts = [...countGroups(part, goesOn), insertGroups(breakagesOfHour(runs, part), goesOn)]
  for (const count of counts) await database.batch([count])
  await database.batch([
    plain(
      `update hour_groups set environment = 0, groups = (select json_group_array(json(one)) from (
select value as one from json_each(groups) union all select json_array(${COLUMNS}, count) from (${counted}))) where ${mark}`,
    ),
  ])
}

/**
 * Counts the hours that are open up to the present, if many reports are not counted: readers then read the later ones alone.
 * Goes on where the last count ended; from the beginning of an hour where a report came late, or one was changed or deleted.
 *
 * @param now in ms
 * @param least how many reports are many
 */
export async function countSoFar(
  database: Database,
  settings: Settings,
  now: number,
  least = LEAST_UNCOUNTED,
): Promise<void> {
  const key = firstKey(now - DELAY_MS)
  const [open] = await database.batch([typed(OPEN, { sql: READ_OPEN, params: [key, least] })])
  const uncounted = open.reduce((sum, one) => sum + one.uncounted, 0)
  if (uncounted < least || isFull(database.usage.databaseBytes, settings)) return
  const runs = everyRun(now)
  // Counting an hour from its beginning deletes the counts of the next, as what broke there follows from it.
  let isAnew = false
  for (const { hour, first, uncounted } of open) {
    const whole = wholeHour(hour)
    const part: CountedHour = {
      ...whole,
      ...(!isAnew && { first }),
      behind: Math.min(key, whole.behind),
    }
    isAnew = part.first === whole.first
    if (isAnew || uncounted > 0) await countPart(database, runs, part)
  }
}
