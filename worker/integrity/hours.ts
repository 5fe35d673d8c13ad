/** Checks the counts of closed hours against the reports of these hours, and the counts of days against those of their hours. */

import { COUNTS_OF_HOUR } from '../housekeeping/close-hours.ts'
import { countsOfDay } from '../housekeeping/count-days.ts'
import { HOUR_COLUMNS } from '../housekeeping/hour-counts.ts'
import { integer, nullable, selectText, typed, flag } from '../sql/columns.ts'
import { integerOf, dayOfHour, firstHourOfDay } from '../sql/encoding.ts'
import { batchRead, listRead, readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { dateOfDay } from '../store/history.ts'
import type { CheckedPage } from './checked-page.ts'
import { hourNamed } from './repairs.ts'

/** Hours of a page: the check counts all reports of each. */
const PAGE = 24

const HOUR = { hour: integer('hour') }
/** ?1 the hour before the page. Skips open hours, which have no counts: every answer counts their reports. */
const READ_HOURS = `select ${selectText(HOUR)} from (select distinct hour from hour_counts where hour > ?1 order by hour limit ${PAGE})
where hour not in (select hour from open_hours)`
const PAGE_END = { last: nullable(integer('max(hour)')), size: integer('count(*)') }
const READ_PAGE_END = `select ${selectText(PAGE_END)} from (select distinct hour from hour_counts where hour > ?1 order by hour limit ${PAGE})`

const DIFFERENT = { rows: integer('count(*)') }
/** ?1 hour. Selects rows that only one of both has. */
const COUNT_DIFFERENT = `select ${selectText(DIFFERENT)} from (
  select * from (select ${HOUR_COLUMNS} from hour_counts where hour = ${integerOf('?1')} except ${COUNTS_OF_HOUR})
  union all select * from (${COUNTS_OF_HOUR} except select ${HOUR_COLUMNS} from hour_counts where hour = ${integerOf('?1')})
) where not exists (select 1 from open_hours where hour = ${integerOf('?1')})`

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
      where: hourNamed(hour),
      mends: { kind: 'hour', id: hour } as const,
    }))
  const { last, size } = ends[0]!
  return { checked: hours.length, problems, next: size < PAGE ? null : last }
}

/** Days of a page: the check adds up all hours of each. */
const DAYS_OF_PAGE = 100

const DAY = {
  day: integer('d.day'),
  hour: integer(firstHourOfDay('d.day')),
  wrong: flag(
    `(select json_array(count, groups) from (${countsOfDay('d.day')})) is not json_array(d.count, d.groups)
    and d.day not in (select ${dayOfHour('hour')} from open_hours)`,
  ),
}
/** ?1 the day before the page. A row does not count while its day has an open hour. */
const READ_DAYS = `select ${selectText(DAY)} from day_counts d where d.day > ?1 order by d.day limit ${DAYS_OF_PAGE}`

export async function checkDays(database: Database, after: number): Promise<CheckedPage> {
  const [days] = await database.batch([typed(DAY, { sql: READ_DAYS, params: [after] })])
  return {
    checked: days.length,
    problems: days
      .filter(({ wrong }) => wrong)
      .map(({ day, hour }) => ({
        invariant: 'the counts of a day are those of its hours',
        where: `day ${dateOfDay(day)}`,
        mends: { kind: 'hour', id: hour },
      })),
    next: days.length < DAYS_OF_PAGE ? null : days.at(-1)!.day,
  }
}
