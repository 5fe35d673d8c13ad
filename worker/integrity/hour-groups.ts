/** Checks the counts of closed hours by cause, class and drift, and what broke in them, against their reports, and that their first sights are known. */

import { sql } from 'drizzle-orm'
import { breakagesAmiss } from '../outcomes/breakages.ts'
import { everyRun } from '../outcomes/view.ts'
import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { hourStart } from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { batchRead, listRead, readOne, type BatchRead } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import {
  ANY_LABEL,
  ENTRY,
  groupsOfHour,
  HOUR_GROUPINGS,
  HOUR_MARK,
  wholeHour,
  type HourGrouping,
} from '../store/hour-groups.ts'
import { REMEMBERED } from '../store/sightings.ts'
import type { CheckedPage, Problem } from './checked-page.ts'
import { hourNamed } from './repairs.ts'

/** Hours of a page: the check reads the failed reports of each. */
const PAGE = 10

const HOUR = { hour: integer('hour') }
const PAGE_OF_HOURS = `(select hour from hour_groups where kind = ${HOUR_MARK} and hour > ?1 order by hour limit ${PAGE})`
/** ?1 the hour before the page. An open hour is read from its reports. */
const READ_HOURS = `select ${selectText(HOUR)} from ${PAGE_OF_HOURS} where hour not in (select hour from open_hours)`
const PAGE_END = { last: nullable(integer('max(hour)')), size: integer('count(*)') }
const READ_PAGE_END = `select ${selectText(PAGE_END)} from ${PAGE_OF_HOURS}`

const FOUND = { rows: integer('count(*)') }

/** Rows that only the stored counts have, or only counts made from the reports. */
function differences(grouping: HourGrouping, hour: number): BatchRead<readonly Problem[]> {
  const stored = sql.raw(
    `select kind, hour, environment, part, groups from hour_groups where kind = ${grouping.kind} and hour = ${hour}`,
  )
  const counted = sql`select * from (${groupsOfHour(grouping, wholeHour(hour))})`
  const both = sql`select * from (select * from (${stored}) except ${counted})
    union all select * from (${counted} except select * from (${stored}))`
  return counting(
    render(sql`select ${sql.raw(selectText(FOUND))} from (${both})`),
    'the groups of a counted hour are those of its reports',
    hour,
  )
}

/** Labels of a counted hour that were first seen later, or never. */
const unseen = (
  [{ kind }, name]: (typeof REMEMBERED)[number],
  hour: number,
): BatchRead<readonly Problem[]> =>
  counting(
    plain(`select ${selectText(FOUND)} from (
      select g.environment, e.value ->> ${ENTRY.label} as label from hour_groups g cross join json_each(g.groups) e
      where g.kind = ${kind} and g.hour = ${hour}) h
    where h.label <> ${ANY_LABEL} and not exists (select 1 from sightings s
      where s.kind = ${kind} and s.name = ${name} and s.environment = (select value from strings where id = h.environment) and s.first < ${hourStart(hour + 1)} and s.first <= s.last)`),
    'what a counted hour shows was first seen by then',
    hour,
  )

const brokeAmiss = (hour: number): BatchRead<readonly Problem[]> =>
  counting(
    render(
      sql`select ${sql.raw(selectText(FOUND))} from (${breakagesAmiss(everyRun(Date.now()), hour)})`,
    ),
    'what broke in a counted hour is what its reports say',
    hour,
  )

const plain = (text: string): Statement => ({ sql: text, params: [] })
const counting = (
  statement: Statement,
  invariant: string,
  hour: number,
): BatchRead<readonly Problem[]> =>
  batchRead([typed(FOUND, statement)], ([[found]]) =>
    found!.rows === 0
      ? []
      : [{ invariant, where: hourNamed(hour), mends: { kind: 'hour', id: hour } }],
  )

export async function checkHourGroups(database: Database, after: number): Promise<CheckedPage> {
  const [hours, ends] = await database.batch([
    typed(HOUR, { sql: READ_HOURS, params: [after] }),
    typed(PAGE_END, { sql: READ_PAGE_END, params: [after] }),
  ])
  const reads = hours.flatMap(({ hour }) => [
    ...Object.values(HOUR_GROUPINGS).map((grouping) => differences(grouping, hour)),
    ...REMEMBERED.map((one) => unseen(one, hour)),
    brokeAmiss(hour),
  ])
  const problems = await readOne(database, listRead(reads))
  const { last, size } = ends[0]!
  return { checked: hours.length, problems: problems.flat(), next: size < PAGE ? null : last }
}
