/** Counts the reports of hours that are over, so that counts over all history need not read them again. */

import { MINUTE } from '../lib/time.ts'
import { integer, selectText, typed } from '../sql/columns.ts'
import { dayOfHour, firstKeyOfHour, hourNumber, integerOf, isKeyOfHour } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { lackDays } from '../store/history.ts'
import { deleteHourGroups, outdateLater } from '../store/hour-groups.ts'
import { countedByHour, HOUR_COLUMNS } from './hour-counts.ts'

/** How long an hour stays open after its end for reports that are still on their way. */
export const GRACE_MS = 10 * MINUTE
/** Hours of one batch, and batches of one call: both stay far below D1's time limit for a query. */
const HOURS_AT_ONCE = 12
const MOST_BATCHES = 40

/** Newest first, because most counts read those hours. */
const OPEN_HOUR = { hour: integer('hour') }
const READ_OPEN = `select ${selectText(OPEN_HOUR)} from open_hours where hour <= ?1 order by hour desc limit ${HOURS_AT_ONCE}`

/** SQL for the rows of `hour_counts` for the reports of an hour. ?1 hour. */
export const COUNTS_OF_HOUR = countedByHour(
  integerOf('?1'),
  `from reports r where ${isKeyOfHour('r.id', integerOf('?1'))}`,
)

/** ?1 hour. */
const CLOSE = [
  'delete from hour_counts where hour = ?1',
  `delete from day_counts where day = ${dayOfHour('?1')}`,
  `insert into hour_counts (${HOUR_COLUMNS}) ${COUNTS_OF_HOUR}`,
  // Counted again by group-hours.ts.
  deleteHourGroups('select ?1'),
  ...outdateLater('?1'),
  'delete from open_hours where hour = ?1',
]

/** Moves retention back to the hours, if it has passed one of them: a report arrived there. ?1 the first hour. */
const FIRST_KEY = firstKeyOfHour(integerOf('?1'))
const GO_BACK = `update retention_progress set cursor = ${FIRST_KEY} where cursor > ${FIRST_KEY}`

const closing = (hour: number): Statement[] => CLOSE.map((sql) => ({ sql, params: [hour] }))

/**
 * Counts and closes the open hours that are over. A report that arrives in a closed hour opens it again in
 * the transaction that stores the report, so numbers are right at every moment.
 *
 * @param now in ms
 * @returns the hours that were closed
 */
export async function closeHours(database: Database, now: number): Promise<readonly number[]> {
  const last = hourNumber(now - GRACE_MS) - 1
  const closed: number[] = []
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [open] = await database.batch([typed(OPEN_HOUR, { sql: READ_OPEN, params: [last] })])
    const hours = open.map(({ hour }) => hour)
    if (hours.length > 0) {
      const goBack = { sql: GO_BACK, params: [Math.min(...hours)] }
      await database.batch([...hours.flatMap(closing), lackDays(hours), goBack])
    }
    closed.push(...hours)
    if (hours.length < HOURS_AT_ONCE) break
  }
  return closed
}
