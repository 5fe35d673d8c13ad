/** Counts of hours: those of a closed hour are what counting its reports gives. */

import { COUNTS_OF_HOUR, HOUR_COLUMNS } from '../housekeeping/close-hours.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'

/** Hours of a page: all reports of each are counted. */
const PAGE = 24

/** ?1 the hour before. Open hours are counted anew at every question. */
const READ_HOURS = `SELECT hour AS c0 FROM (SELECT DISTINCT hour FROM hour_counts WHERE hour > ?1 ORDER BY hour LIMIT ${PAGE})
WHERE hour NOT IN (SELECT hour FROM open_hours)`
const READ_LAST = `SELECT max(hour) AS c0, count(*) AS c1 FROM (SELECT DISTINCT hour FROM hour_counts WHERE hour > ?1 ORDER BY hour LIMIT ${PAGE})`

/** ?1 hour. Rows that only one of them has. */
const DIFFERENCE = `SELECT count(*) AS c0 FROM (
  SELECT * FROM (SELECT ${HOUR_COLUMNS} FROM hour_counts WHERE hour = CAST(?1 AS INTEGER) EXCEPT ${COUNTS_OF_HOUR})
  UNION ALL SELECT * FROM (${COUNTS_OF_HOUR} EXCEPT SELECT ${HOUR_COLUMNS} FROM hour_counts WHERE hour = CAST(?1 AS INTEGER))
) WHERE NOT EXISTS (SELECT 1 FROM open_hours WHERE hour = CAST(?1 AS INTEGER))`

export async function checkHours(database: Database, after: number): Promise<CheckedPage> {
  const [hours, last] = await database.batch([
    { sql: READ_HOURS, params: [after] },
    { sql: READ_LAST, params: [after] },
  ])
  const closed = hours!.map(([hour]) => hour as number)
  const found =
    closed.length === 0
      ? []
      : await database.batch(closed.map((hour) => ({ sql: DIFFERENCE, params: [hour] })))
  const problems = closed.flatMap((hour, index) =>
    found[index]![0]![0] === 0
      ? []
      : [
          {
            invariant: 'the counts of a closed hour are those of its reports',
            where: `hour ${hour}`,
          },
        ],
  )
  const [lastHour, seen] = last![0] as [number | null, number]
  return { checked: closed.length, problems, next: seen < PAGE ? null : lastHour }
}
