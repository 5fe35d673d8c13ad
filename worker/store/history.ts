/** What the database knows of the history: which days it lacks, how far a day is archived, which parts there are. */

import { formatTimestamp } from '../lib/time.ts'
import { integer, keyTime, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import {
  dayNumber,
  dayOfHour,
  dayStart,
  firstHourOfDay,
  firstKey,
  firstKeyOfHour,
  hourNumber,
  hourOfKey,
  hourStart,
  integerOf,
  isHourOfDay,
  keyMilliseconds,
} from '../sql/encoding.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** For the batch that closes hours: their days have reports that the history may lack. ?1 list of hours. */
export const lackDays = (hours: readonly number[]): Statement => ({
  sql: `insert into unarchived_days (day, changes)
select distinct ${dayOfHour('value')}, 1 from json_each(?1) where true
on conflict (day) do update set changes = changes + 1`,
  params: [JSON.stringify(hours)],
})

/** Marks a day of which the history is found to lack reports. */
export const lackDay = (day: number): Statement => ({
  sql: `insert into unarchived_days (day, changes) values (?1, 1) on conflict (day) do update set changes = changes + 1`,
  params: [day],
})

/** Marks days of a list that have files and no part that the database knows: it is of another past, or new beside an older history. */
export const lackUnknownDays = (days: readonly number[]): Statement => ({
  sql: `insert or ignore into unarchived_days (day, changes)
select value, 1 from json_each(?1) where not exists (select 1 from history_parts where day = value)`,
  params: [JSON.stringify(days)],
})

const HOUR_OF_REPORT = hourOfKey('r.id')
/**
 * Condition on a row `r` of reports: nothing in the database says that the history may lack it. A report that arrives for an archived day opens its hour in
 * the transaction that stores it, and closing the hour marks the day, so there is no moment at which this is wrong.
 */
export const IS_ARCHIVED = `not exists (select 1 from open_hours o where o.hour = ${HOUR_OF_REPORT})
and not exists (select 1 from unarchived_days u where u.day = ${dayOfHour(HOUR_OF_REPORT)})`

const FRONTIER = {
  day: nullable(integer('(select min(day) from unarchived_days)')),
  hour: nullable(integer('(select min(hour) from open_hours)')),
}

/** The key below which every report is archived. */
export async function readArchivedKey(database: Database): Promise<number> {
  const [[row]] = await database.batch([
    typed(FRONTIER, { sql: `select ${selectText(FRONTIER)}`, params: [] }),
  ])
  const { day, hour } = row!
  const starts = [
    day === null ? Infinity : dayStart(day),
    hour === null ? Infinity : hourStart(hour),
  ]
  return firstKey(Math.min(...starts, keyMilliseconds(Number.MAX_SAFE_INTEGER)))
}

const BLOCKED = { day: integer('day') }
const MOST_BLOCKED = 1000

/** Days that begin before a key and that the history may lack, in their order; at most a thousand. */
export async function readBlockedDays(database: Database, before: number): Promise<number[]> {
  const [days] = await database.batch([
    typed(BLOCKED, {
      sql: `select ${selectText(BLOCKED)} from (select day from unarchived_days union select ${dayOfHour('hour')} from open_hours)
where day <= ?1 order by day limit ${MOST_BLOCKED}`,
      params: [dayNumber(hourNumber(keyMilliseconds(before)))],
    }),
  ])
  return days.map(({ day }) => day)
}

const UNARCHIVED = { day: integer('u.day'), changes: integer('u.changes') }
export type UnarchivedDay = RowOf<typeof UNARCHIVED>

/** Days that lack reports and have no open hour, the oldest first. @param last number of the last day */
export async function readUnarchivedDays(
  database: Database,
  last: number,
  limit: number,
): Promise<readonly UnarchivedDay[]> {
  const [days] = await database.batch([
    typed(UNARCHIVED, {
      sql: `select ${selectText(UNARCHIVED)} from unarchived_days u
where u.day <= ?1 and not exists (select 1 from open_hours o where ${isHourOfDay('o.hour', 'u.day')}) order by u.day limit ?2`,
      params: [last, limit],
    }),
  ])
  return days
}

const PROGRESS = {
  began: nullable(integer('began')),
  /** The day's changes when the pass began. */
  changes: nullable(integer('changes')),
  since: nullable(integer('since')),
  certname: text('certname'),
  report: integer('report'),
  complete: nullable(integer('complete')),
}
/** How far a day is archived; times in ms. */
export type DayProgress = RowOf<typeof PROGRESS>

const PART = {
  part: integer('part'),
  reports: integer('reports'),
  bytes: integer('bytes'),
  first: text('first'),
  last: text('last'),
}
/** A part as the database knows it: its reports, the bytes of its files, and its first and last certname. */
export type HistoryPart = RowOf<typeof PART>

export async function readDayProgress(
  database: Database,
  day: number,
): Promise<{ readonly progress: DayProgress | null; readonly parts: readonly HistoryPart[] }> {
  const [[progress], parts] = await database.batch([
    typed(PROGRESS, {
      sql: `select ${selectText(PROGRESS)} from history_days where day = ?1`,
      params: [day],
    }),
    typed(PART, {
      sql: `select ${selectText(PART)} from history_parts where day = ?1 order by part`,
      params: [day],
    }),
  ])
  return { progress: progress ?? null, parts }
}

/** Notes how far a pass has come. */
export const writeProgressOfDay = (
  day: number,
  { began, changes, since, certname, report }: Omit<DayProgress, 'complete'>,
): Statement => ({
  sql: `insert into history_days (day, began, changes, since, certname, report) values (?1, ?2, ?3, ?4, ?5, ${integerOf('?6')})
on conflict (day) do update set began = excluded.began, changes = excluded.changes, since = excluded.since,
  certname = excluded.certname, report = excluded.report`,
  params: [day, began, changes, since, certname, report],
})

/** Notes parts. @param written in ms */
export const writePart = (day: number, part: HistoryPart, written: number): Statement => ({
  sql: `insert or replace into history_parts (day, part, reports, bytes, first, last, written)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  params: [day, part.part, part.reports, part.bytes, part.first, part.last, written],
})

/** Forgets parts that object storage does not have. */
export const forgetParts = (day: number, parts: readonly number[]): Statement => ({
  sql: 'delete from history_parts where day = ?1 and part in (select value from json_each(?2))',
  params: [day, JSON.stringify(parts)],
})

/** Forgets all parts of a day: the next pass over it finds those that object storage has. */
export const forgetPartsOf = (day: number): Statement => ({
  sql: 'delete from history_parts where day = ?1',
  params: [day],
})

/** Notes that the pass that began then is complete. */
export const completeDay = (day: number, began: number): Statement => ({
  sql: `insert into history_days (day, complete) values (?1, ?2)
on conflict (day) do update set began = null, changes = null, since = null, certname = '', report = 0, complete = excluded.complete`,
  params: [day, began],
})

/** Forgets how far a day is archived, so that the next pass looks at all of it. */
export const forgetDay = (day: number): Statement => ({
  sql: 'delete from history_days where day = ?1',
  params: [day],
})

/**
 * The commit: the day lacks nothing, unless one of its hours was opened or closed during the pass, or it has more reports
 * than its parts. Only deletes, which a full database allows.
 */
export const markArchived = (
  { day, changes }: UnarchivedDay,
  reports: number,
): TypedStatement<{ readonly day: number }> =>
  typed(
    { day: integer('day') },
    {
      sql: `delete from unarchived_days where day = ?1 and changes = ?2
and not exists (select 1 from open_hours o where ${isHourOfDay('o.hour', integerOf('?1'))})
and ?3 >= (select coalesce(sum(c.count), 0) from hour_counts c where ${isHourOfDay('c.hour', integerOf('?1'))}) returning day`,
      params: [day, changes, reports],
    },
  )

const EXPIRED = { day: integer('d.day') }
const startOfDay = (day: string): string => firstKeyOfHour(firstHourOfDay(day))

/**
 * Days up to `last` that the history may delete, the oldest first: those with parts, and those of a list, of which the database has
 * no report and none is on its way to the archive.
 *
 * @param found numbers of days that object storage has
 */
export async function readExpiredDays(
  database: Database,
  last: number,
  found: readonly number[],
  limit: number,
): Promise<number[]> {
  const [days] = await database.batch([
    typed(EXPIRED, {
      sql: `select ${selectText(EXPIRED)} from (select day from history_parts union select value from json_each(?2)) d
where d.day <= ?1 and not exists (select 1 from reports r where r.id >= ${startOfDay('d.day')} and r.id < ${startOfDay('d.day + 1')})
and not exists (select 1 from unarchived_days u where u.day = d.day)
and not exists (select 1 from open_hours o where ${isHourOfDay('o.hour', 'd.day')}) order by d.day limit ?3`,
      params: [last, JSON.stringify([...new Set(found)]), limit],
    }),
  ])
  return days.map(({ day }) => day)
}

const ARCHIVED_DAY = {
  day: integer('p.day'),
  parts: integer('count(*)'),
  reports: integer('sum(p.reports)'),
  bytes: integer('sum(p.bytes)'),
}
/** A day that has parts. */
export type ArchivedDay = RowOf<typeof ARCHIVED_DAY>

const ARCHIVED_MONTH = {
  month: integer('m.first_day'),
  files: integer('count(*)'),
  reports: integer("sum(iif(m.name = 'reports', m.rows, 0))"),
  bytes: integer('sum(m.bytes)'),
}
/** A month that was compacted, by its first day. */
export type ArchivedMonth = RowOf<typeof ARCHIVED_MONTH>

const DAY_OF_MONTH = { day: integer('m.first_day + j.key') }

const WAITING = { day: integer('day') }

/** What the history holds as far as the database knows, and the days that wait for it. */
export interface HistoryContent {
  readonly days: readonly ArchivedDay[]
  readonly months: readonly ArchivedMonth[]
  /** The days of months that have reports. */
  readonly daysOfMonths: readonly number[]
  readonly waiting: readonly number[]
}

export async function readHistory(database: Database): Promise<HistoryContent> {
  const [days, months, daysOfMonths, waiting] = await database.batch([
    typed(ARCHIVED_DAY, {
      sql: `select ${selectText(ARCHIVED_DAY)} from history_parts p group by p.day order by p.day`,
      params: [],
    }),
    typed(ARCHIVED_MONTH, {
      sql: `select ${selectText(ARCHIVED_MONTH)} from history_months m group by m.first_day order by m.first_day`,
      params: [],
    }),
    typed(DAY_OF_MONTH, {
      sql: `select distinct ${selectText(DAY_OF_MONTH)} from history_months m, json_each(m.days) j
where m.name = 'reports' and j.value > 0 order by 1`,
      params: [],
    }),
    typed(WAITING, {
      sql: `select ${selectText(WAITING)} from unarchived_days order by day limit 1000`,
      params: [],
    }),
  ])
  return {
    days,
    months,
    daysOfMonths: daysOfMonths.map(({ day }) => day),
    waiting: waiting.map(({ day }) => day),
  }
}

/** SQL: the least or greatest day of the month that is the first or the last one. */
const dayOfMonths = (extreme: 'min' | 'max'): string =>
  `(select ${extreme}(m.first_day + j.key) from history_months m, json_each(m.days) j where j.value > 0
and m.name = 'reports' and m.first_day = (select ${extreme}(first_day) from history_months))`
const dayOfParts = (extreme: 'min' | 'max'): string => `(select ${extreme}(day) from history_parts)`
/** A day beyond all that can be stored, on the side that never is the extreme. */
const NO_DAY = { min: 1e9, max: -1e9 }
const extremeDay = (extreme: 'min' | 'max'): string => {
  const [parts, months] = [dayOfParts, dayOfMonths].map(
    (dayOf) => `coalesce(${dayOf(extreme)}, ${NO_DAY[extreme]})`,
  )
  return `nullif(${extreme}(${parts}, ${months}), ${NO_DAY[extreme]})`
}

/** SQL: the first day that the history holds; null for none. */
export const FIRST_DAY = extremeDay('min')

const REACH = {
  first: nullable(integer(FIRST_DAY)),
  last: nullable(integer(extremeDay('max'))),
  oldest: nullable(keyTime('(select min(id) from reports)')),
}
/** The first and the last day that the history holds, as `2026-03-02`, and when the oldest report of the database is from, in ms. */
export interface HistoryReach {
  readonly first: string
  readonly last: string
  readonly oldest: number | null
  /** Of the files that log lines are in, where they were asked for. */
  readonly bytes?: number
}

/** Reads three rows, and those of the first and the last month. */
export const reachStatement = (): TypedStatement<RowOf<typeof REACH>> =>
  typed(REACH, { sql: `select ${selectText(REACH)}`, params: [] })

/** Null where the history holds nothing. */
export function reachOf(rows: readonly RowOf<typeof REACH>[]): HistoryReach | null {
  const { first, last, oldest } = rows[0]!
  return first === null || last === null
    ? null
    : { first: dateOfDay(first), last: dateOfDay(last), oldest }
}

const LOGS = {
  bytes: integer(
    "(select coalesce(sum(bytes), 0) from history_parts) + (select coalesce(sum(bytes), 0) from history_months where name = 'logs')",
  ),
}

/** Bytes of the files that log lines are in; of days, with those of the other tables. */
export const logBytesStatement = (): TypedStatement<RowOf<typeof LOGS>> =>
  typed(LOGS, { sql: `select ${selectText(LOGS)}`, params: [] })

export async function readReach(database: Database): Promise<HistoryReach | null> {
  const [rows] = await database.batch([reachStatement()])
  return reachOf(rows)
}

/** `2026-03-02` */
export const dateOfDay = (day: number): string => formatTimestamp(dayStart(day)).slice(0, 10)
