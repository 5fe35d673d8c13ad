/**
 * Counts open hours up to the present, between the hourly runs of housekeeping: of a large fleet, readers would read tens of
 * thousands of reports one by one.
 */

import { sql } from 'drizzle-orm'
import { MINUTE } from '../lib/time.ts'
import { breakagesOfHour } from '../outcomes/breakages.ts'
import { everyRun, type Runs } from '../outcomes/view.ts'
import { isFull } from '../schema/capacity.ts'
import type { Settings } from '../schema/settings.ts'
import { COUNTED_BY } from '../sql/closed-hours.ts'
import { integer, selectText, typed } from '../sql/columns.ts'
import { firstKey, firstKeyOfHour, hourOfKey, integerOf, literal } from '../sql/encoding.ts'
import { SO_FAR, UNCOUNTED_HOURS } from '../sql/open-hours.ts'
import type { Statement } from '../sql/statement.ts'
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
  uncounted: integer(
    `(select count(*) from (select 1 from reports r where r.id >= open_hours.first and r.id < min(${KEY}, ${firstKeyOfHour('(open_hours.hour + 1)')}) limit ?2))`,
  ),
}
/** The present hour and the one before it. ?1 a key, ?2 how many reports are counted at most. */
const READ_OPEN = `select ${selectText(OPEN)} from ${UNCOUNTED_HOURS}
where hour between ${hourOfKey(KEY)} - 1 and ${hourOfKey(KEY)} and ${isNeverClosed('hour')} order by hour`

const COLUMNS = sql.raw(COUNTED_BY.join(', '))

/** Counts a part of an hour. Housekeeping may close the hour meanwhile. */
function countingSoFar(runs: Runs, part: CountedHour): Statement[] {
  const { hour, behind } = part
  const isOpen = isNeverClosed(String(hour))
  const counts = sql.raw(
    countedByHour(String(hour), `from reports r where ${isCountedKey('r.id', part)}`),
  )
  return [
    plain(deleteSoFar(hour)),
    ...countGroups(part, isOpen),
    insertGroups(breakagesOfHour(runs, part), isOpen),
    insertGroups(
      sql`select ${literal(SO_FAR)}, ${literal(hour)}, 0, ${literal(behind)}, json_group_array(json_array(${COLUMNS}, count)) from (${counts})`,
      isOpen,
    ),
    plain(`update open_hours set counted = ${behind} where hour = ${hour}`),
  ]
}

/**
 * Counts the hours that are open up to the present, if many reports are not counted: readers then read the later ones alone.
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
  await database.batch(
    open.flatMap(({ hour }) =>
      countingSoFar(runs, { hour, behind: Math.min(key, wholeHour(hour).behind) }),
    ),
  )
}
