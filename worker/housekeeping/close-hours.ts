/** Counts the reports of hours that are over, so that counts over all history need not read them again. */

import { HOUR } from '../schema/clocks.ts'
import { SLOTS } from '../schema/key.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'

/** How long after its end an hour stays open for reports that are on their way. */
const GRACE_MS = 10 * 60_000
/** Hours of one batch, and batches of one call: each stays far below D1's time for a query. */
const HOURS_AT_ONCE = 12
const MOST_BATCHES = 40

/** Newest first: that is where counts read the most. */
const OPEN = `SELECT hour AS c0 FROM open_hours WHERE hour <= ?1 ORDER BY hour DESC LIMIT ${HOURS_AT_ONCE}`

const FORGET = 'DELETE FROM hour_counts WHERE hour = ?1'
/** What stands in `hour_counts`, and the rows that an hour's reports give. ?1 hour. */
export const HOUR_COLUMNS =
  'hour, environment, status, noop, noop_pending, type, clock_flags, state, count'
export const COUNTS_OF_HOUR = `SELECT CAST(?1 AS INTEGER), environment, coalesce(status, -1), coalesce(noop, -1), coalesce(noop_pending, -1), type, clock_flags, state, count(*)
FROM reports WHERE id >= CAST(?1 AS INTEGER) * ${HOUR * SLOTS} AND id < (CAST(?1 AS INTEGER) + 1) * ${HOUR * SLOTS}
GROUP BY 2, 3, 4, 5, 6, 7, 8`
const COUNT = `INSERT INTO hour_counts (${HOUR_COLUMNS}) ${COUNTS_OF_HOUR}`
const CLOSE = 'DELETE FROM open_hours WHERE hour = ?1'

/** Retention that has passed one of the hours goes back to it: something arrived there. ?1 the first of them. */
const GO_BACK = `UPDATE retention_progress SET cursor = CAST(?1 AS INTEGER) * ${HOUR * SLOTS} WHERE cursor > CAST(?1 AS INTEGER) * ${HOUR * SLOTS}`

const closing = (hour: number): Statement[] =>
  [FORGET, COUNT, CLOSE].map((sql) => ({ sql, params: [hour] }))

/**
 * Counts and closes the open hours that are over. A report that arrives in a closed hour opens it
 * again in the transaction that stores it, so numbers are right at every moment.
 *
 * @param now in ms
 * @returns how many hours were closed
 */
export async function closeHours(database: Database, now: number): Promise<number> {
  const last = Math.floor((now - GRACE_MS) / HOUR) - 1
  let closed = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [rows] = await database.batch([{ sql: OPEN, params: [last] }])
    const hours = rows!.map(([hour]) => hour as number)
    if (hours.length > 0) {
      const goBack = { sql: GO_BACK, params: [Math.min(...hours)] }
      await database.batch([...hours.flatMap(closing), goBack])
    }
    closed += hours.length
    if (hours.length < HOURS_AT_ONCE) break
  }
  return closed
}
