/** Counts of hours: those of a closed hour are what counting its reports gives. */

import { COUNTS_OF_HOUR } from '../housekeeping/close-hours.ts'
import { HOUR_COLUMNS } from '../housekeeping/hour-counts.ts'
import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { batchRead, listRead, readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'

/** Hours of a page: all reports of each are counted. */
const PAGE = 24

const HOUR = { hour: integer('hour') }
/** ?1 the hour before the page. Open hours have no counts that could be wrong: every answer counts their reports. */
const READ_HOURS = `SELECT ${selectText(HOUR)} FROM (SELECT DISTINCT hour FROM hour_counts WHERE hour > ?1 ORDER BY hour LIMIT ${PAGE})
WHERE hour NOT IN (SELECT hour FROM open_hours)`
const PAGE_END = { last: nullable(integer('max(hour)')), size: integer('count(*)') }
const READ_PAGE_END = `SELECT ${selectText(PAGE_END)} FROM (SELECT DISTINCT hour FROM hour_counts WHERE hour > ?1 ORDER BY hour LIMIT ${PAGE})`

const DIFFERENT = { rows: integer('count(*)') }
/** ?1 hour. Rows that only one of them has. */
const COUNT_DIFFERENT = `SELECT ${selectText(DIFFERENT)} FROM (
  SELECT * FROM (SELECT ${HOUR_COLUMNS} FROM hour_counts WHERE hour = CAST(?1 AS INTEGER) EXCEPT ${COUNTS_OF_HOUR})
  UNION ALL SELECT * FROM (${COUNTS_OF_HOUR} EXCEPT SELECT ${HOUR_COLUMNS} FROM hour_counts WHERE hour = CAST(?1 AS INTEGER))
) WHERE NOT EXISTS (SELECT 1 FROM open_hours WHERE hour = CAST(?1 AS INTEGER))`

export async function checkHours(database: Database, after: number): Promise<CheckedPage> {
  const [hours, ends] = await database.batch([
    typed(HOUR, { sql: READ_HOURS, params: [after] }),
    typed(PAGE_END, { sql: READ_PAGE_END, params: [after] }),
  ])
  const differences = await readOne(
    database,
    listRead(
      hours.map(({ hour }) =>
        batchRead(
          [typed(DIFFERENT, { sql: COUNT_DIFFERENT, params: [hour] })],
          ([[different]]) => ({
            hour,
            rows: different!.rows,
          }),
        ),
      ),
    ),
  )
  const problems = differences
    .filter(({ rows }) => rows > 0)
    .map(({ hour }) => ({
      invariant: 'the counts of a closed hour are those of its reports',
      where: `hour ${hour}`,
    }))
  const { last, size } = ends[0]!
  return { checked: hours.length, problems, next: size < PAGE ? null : last }
}
