/** Checks the counts of days against those of their hours. */

import { countsOfDay } from '../housekeeping/count-days.ts'
import { flag, integer, selectText, typed } from '../sql/columns.ts'
import { dayOfHour, firstHourOfDay } from '../sql/encoding.ts'
import { dateOfDay } from '../store/history.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage } from './checked-page.ts'

/** Days of a page: the check adds up all hours of each. */
const PAGE = 100

const DAY = {
  day: integer('d.day'),
  hour: integer(firstHourOfDay('d.day')),
  wrong: flag(
    `(select json_array(count, groups) from (${countsOfDay('d.day')})) is not json_array(d.count, d.groups)
    and d.day not in (select ${dayOfHour('hour')} from open_hours)`,
  ),
}
/** ?1 the day before the page. A row does not count while its day has an open hour. */
const READ_DAYS = `select ${selectText(DAY)} from day_counts d where d.day > ?1 order by d.day limit ${PAGE}`

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
    next: days.length < PAGE ? null : days.at(-1)!.day,
  }
}
