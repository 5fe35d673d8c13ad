/** Which files of `reports` may hold a node or a report, of days and of months. */

import type { HistoryTable } from '../schema/history-tables.ts'
import { flag, integer, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { firstHourOfDay, firstKeyOfHour, integerOf, isHourOfDay } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'
import { reportsInMonths } from './history-months.ts'

/** The files of a table, and a place for each part of a day even where it has none. A month comes before its days, which hold late reports. */
const filesOf = (
  table: HistoryTable,
): string => `(select p.day, 1 as is_day, p.part, p.written, p.bytes, p.first, p.last, p.day as until from history_parts p
union all select m.first_day, 0, m.part, m.written, m.bytes, m.first, m.last, m.first_day + json_array_length(m.days) - 1
from history_months m where m.name = '${table}')`
const FILES = filesOf('reports')

const PLACE = {
  /** Of a month, its first day. */
  day: integer('f.day'),
  isDay: flag('f.is_day'),
  part: integer('f.part'),
  written: integer('f.written'),
  /** Of all tables for a day; of the file for a month. */
  bytes: integer('f.bytes'),
}
/** A file of `reports`, and when it was written, in ms. */
export type ReportsFile = RowOf<typeof PLACE>

/** The files of a day and before first, from the newest on; then later ones. @param day number of the day */
export async function readFilesBefore(
  database: Database,
  day: number,
  limit: number,
): Promise<readonly ReportsFile[]> {
  const [files] = await database.batch([
    typed(PLACE, {
      sql: `select ${selectText(PLACE)} from ${FILES} f order by f.day > ?1, abs(min(f.until, max(f.day, ?1)) - ?1), f.day desc, f.part limit ?2`,
      params: [day, limit],
    }),
  ])
  return files
}

const REPORT_PLACE = {
  /** Null for a part of a day, which has a file of each table. */
  table: nullable(text<HistoryTable, 'f.name'>('f.name')),
  day: integer('f.day'),
  part: integer('f.part'),
  bytes: integer('f.bytes'),
}
/** The files that can hold rows of a report: a part of its day, or a file of its month. */
export type ReportPlace = RowOf<typeof REPORT_PLACE>

/** Files that are read for one report. Of a month of 20,000 nodes, a day is in about 25 files. */
export const MOST_FILES_OF_REPORT = 60

/** The files that can hold the rows of a node's report, one more than are read at most. @param day number of the day */
export const filesOfReport = (certname: string, day: number): TypedStatement<ReportPlace> =>
  typed(REPORT_PLACE, {
    sql: `select ${selectText(REPORT_PLACE)} from (select null as name, p.day, p.part, 0 as bytes from history_parts p
  where p.day = ?2 and p.first <= ?1 and p.last >= ?1
union all select m.name, m.first_day, m.part, m.bytes from history_months m where m.first_day between ?2 - 30 and ?2
  and m.days ->> (${integerOf('?2')} - m.first_day) > 0 and (m.name <> 'reports' or (m.first <= ?1 and m.last >= ?1))) f limit ${MOST_FILES_OF_REPORT + 1}`,
    params: [certname, day],
  })

/** A place in the order of files from the newest back. */
export type BackwardPlace = readonly [until: number, day: number, isDay: number, part: number]

/** Before all files. */
export const NEWEST: BackwardPlace = [1e9, 0, 0, 0]

const PLACE_BACK = {
  ...PLACE,
  /** The last day that it can hold. */
  until: integer('f.until'),
}
/** A file of a table, with the last day that it can hold. */
export type ReportsFileBack = RowOf<typeof PLACE_BACK>

/** Of so many of the newest days, reports are read from the database where it has them all. A node has about 2000 of them. */
const MOST_STORED_DAYS = 45

/** SQL: the days with files of which the database has every report that the history has. A day that lacks nothing has no others there. */
const STORED_DAYS = `select p.day from (select day, sum(reports) as reports from history_parts
  where day > (select max(day) from history_parts) - ${MOST_STORED_DAYS} group by day) p
where not exists (select 1 from unarchived_days u where u.day = p.day)
and not exists (select 1 from open_hours o where ${isHourOfDay('o.hour', 'p.day')})
and p.reports + ${reportsInMonths('p.day')} = (select coalesce(sum(c.count), 0) from hour_counts c where ${isHourOfDay('c.hour', 'p.day')})`

/** SQL: from a place on, ?1 to ?4, so many files, ?5. */
const BACKWARDS = `(f.until, f.day, f.is_day, f.part) <= (?1, ?2, ?3, ?4)
order by f.until desc, f.day desc, f.is_day desc, f.part desc limit ?5`

/**
 * The files that can hold a node, from a place on, which is included, the newest first.
 *
 * @param withStored whether those are left out whose reports the database has all
 */
export const filesOfNodeBack = (
  certname: string,
  from: BackwardPlace,
  { limit, withStored }: { readonly limit: number; readonly withStored: boolean },
): TypedStatement<ReportsFileBack> =>
  typed(PLACE_BACK, {
    sql: `select ${selectText(PLACE_BACK)} from ${FILES} f where f.first <= ?6 and f.last >= ?6
${withStored ? `and not (f.is_day and f.day in (${STORED_DAYS}))` : ''} and ${BACKWARDS}`,
    params: [...from, limit, certname],
  })

/** The files of `events`, from a place on, which is included, the newest first. */
export const filesOfEventsBack = (
  from: BackwardPlace,
  limit: number,
): TypedStatement<ReportsFileBack> =>
  typed(PLACE_BACK, {
    sql: `select ${selectText(PLACE_BACK)} from ${filesOf('events')} f where ${BACKWARDS}`,
    params: [...from, limit],
  })

/** The place of a file. */
export const placeBack = ({ until, day, isDay, part }: ReportsFileBack): BackwardPlace => [
  until,
  day,
  Number(isDay),
  part,
]

/** SQL: the key below which every report is in the history, if it is written. */
const ARCHIVED_BEFORE = `min(coalesce((select ${firstKeyOfHour(firstHourOfDay('min(day)'))} from unarchived_days), ${Number.MAX_SAFE_INTEGER}),
coalesce((select ${firstKeyOfHour('min(hour)')} from open_hours), ${Number.MAX_SAFE_INTEGER}))`

/** SQL: the key from which on a page reads reports from the database: those that the history lacks, or that it has in days whose files are left out. */
export const storedFrom = (withStored: boolean): string =>
  withStored
    ? `min(${ARCHIVED_BEFORE}, coalesce((select ${firstKeyOfHour(firstHourOfDay('min(day)'))} from (${STORED_DAYS})), ${Number.MAX_SAFE_INTEGER}))`
    : ARCHIVED_BEFORE
