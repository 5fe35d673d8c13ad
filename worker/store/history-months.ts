/** What the database knows of the history's months: their files, and which days wait to be compacted. */

import type { HistoryTable } from '../schema/history-tables.ts'
import { flag, integer, json, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { firstHourOfDay, firstKeyOfHour, integerOf } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'

const FILE = {
  month: integer('first_day'),
  table: text<HistoryTable, 'name'>('name'),
  part: integer('part'),
  rows: integer('rows'),
  bytes: integer('bytes'),
  first: text('first'),
  last: text('last'),
  days: json<readonly number[], 'days'>('days'),
}
/** A file of a month: its rows, altogether and by day from the first of the month on, and the certnames of `reports`. */
export type MonthFileRow = RowOf<typeof FILE>

/** The files of all months, in their order. */
export async function readMonthFiles(
  database: Database,
  offset: number,
  limit: number,
): Promise<readonly MonthFileRow[]> {
  const [files] = await database.batch([
    typed(FILE, {
      sql: `select ${selectText(FILE)} from history_months order by first_day, name, part limit ?2 offset ?1`,
      params: [offset, limit],
    }),
  ])
  return files
}

/** The files of a day's month that have rows of the day. @param day number of the day */
export async function readFilesOfDay(
  database: Database,
  day: number,
): Promise<readonly MonthFileRow[]> {
  const [files] = await database.batch([
    typed(FILE, {
      sql: `select ${selectText(FILE)} from history_months where first_day between ?1 - 30 and ?1
and days ->> (${integerOf('?1')} - first_day) > 0 order by name, part`,
      params: [day],
    }),
  ])
  return files
}

const KNOWN = {
  month: integer('first_day'),
  part: integer('part'),
  bytes: integer('bytes'),
  /** The last day that it holds. */
  last: integer('first_day + json_array_length(days) - 1'),
}
/** A file of `reports` of a month. */
export type KnownMonthFile = RowOf<typeof KNOWN>

/** The files of `reports` that the database knows. */
export async function readKnownMonths(database: Database): Promise<readonly KnownMonthFile[]> {
  const [files] = await database.batch([
    typed(KNOWN, {
      sql: `select ${selectText(KNOWN)} from history_months where name = 'reports'`,
      params: [],
    }),
  ])
  return files
}

/** Notes files. @param written in ms */
export const writeMonthFiles = (files: readonly MonthFileRow[], written: number): Statement => ({
  sql: `insert or replace into history_months (first_day, name, part, rows, bytes, first, last, days, written)
select value ->> 'month', value ->> 'table', value ->> 'part', value ->> 'rows', value ->> 'bytes',
  value ->> 'first', value ->> 'last', value -> 'days', ?2 from json_each(?1)`,
  params: [JSON.stringify(files), written],
})

/** Forgets the files of a month. */
export const forgetMonth = (month: number): Statement => ({
  sql: 'delete from history_months where first_day = ?1',
  params: [month],
})

const PART_OF_DAY = {
  day: integer('day'),
  part: integer('part'),
  first: text('first'),
  last: text('last'),
}
/** A part of a day, with its first and last certname. */
export type PartOfDay = RowOf<typeof PART_OF_DAY>

/** The parts of the days from `first` up to `end`, which is left out. */
export async function readPartsBetween(
  database: Database,
  first: number,
  end: number,
): Promise<readonly PartOfDay[]> {
  const [parts] = await database.batch([
    typed(PART_OF_DAY, {
      sql: `select ${selectText(PART_OF_DAY)} from history_parts where day >= ?1 and day < ?2 order by day, part`,
      params: [first, end],
    }),
  ])
  return parts
}

const OLD_DAY = { day: integer('day'), parts: integer('count(*)') }
const MOST_DAYS = 1000

/** The first days before `end` that have parts. */
export async function readDaysWithParts(
  database: Database,
  end: number,
): Promise<readonly RowOf<typeof OLD_DAY>[]> {
  const [days] = await database.batch([
    typed(OLD_DAY, {
      sql: `select ${selectText(OLD_DAY)} from history_parts where day < ?1 group by day order by day limit ${MOST_DAYS}`,
      params: [end],
    }),
  ])
  return days
}

const WAITS = {
  waits: flag(`exists (select 1 from unarchived_days where day >= ?1 and day < ?2)
or exists (select 1 from open_hours where hour >= ${firstHourOfDay('?1')} and hour < ${firstHourOfDay('?2')})`),
}

/** Whether a day from `first` up to `end`, which is left out, waits for the archive. */
export async function anyDayWaits(
  database: Database,
  first: number,
  end: number,
): Promise<boolean> {
  const [[row]] = await database.batch([
    typed(WAITS, { sql: `select ${selectText(WAITS)}`, params: [first, end] }),
  ])
  return row!.waits
}

const EXPIRED = { month: integer('m.first_day') }
/** The first day of the next month. */
const MONTH_END = "cast(unixepoch(m.first_day * 86400, 'unixepoch', '+1 month') / 86400 as integer)"
const startOfDay = (day: string): string => firstKeyOfHour(firstHourOfDay(day))

/**
 * Months that end before a day, and of which the database has no report and none is on its way to the archive.
 *
 * @param end number of a day
 */
export async function readExpiredMonths(database: Database, end: number): Promise<number[]> {
  const [months] = await database.batch([
    typed(EXPIRED, {
      sql: `select distinct ${selectText(EXPIRED)} from history_months m where ${MONTH_END} <= ?1
and not exists (select 1 from reports r where r.id >= ${startOfDay('m.first_day')} and r.id < ${startOfDay(MONTH_END)})
and not exists (select 1 from unarchived_days u where u.day >= m.first_day and u.day < ${MONTH_END})
and not exists (select 1 from open_hours o where o.hour >= ${firstHourOfDay('m.first_day')} and o.hour < ${firstHourOfDay(MONTH_END)})
order by m.first_day`,
      params: [end],
    }),
  ])
  return months.map(({ month }) => month)
}

/** SQL: the reports of a day that months hold. @param day an expression */
export const reportsInMonths = (day: string): string =>
  `(select coalesce(sum(m.days ->> (${day} - m.first_day)), 0) from history_months m
  where m.first_day between ${day} - 30 and ${day} and m.name = 'reports')`
