/**
 * Checks what the database says about the history: that each day whose reports are counted is in it or waits for it, and
 * that the parts are the files, which can be read.
 */

import { dayPrefix, filePath, listFiles, type HistoryFile } from '../history/bucket.ts'
import type { History } from '../history/history.ts'
import { DamagedPart, remedyOfFile } from '../history/open-file.ts'
import { readWholePart } from '../history/whole-part.ts'
import { HISTORY_TABLE_NAMES } from '../schema/history-tables.ts'
import { flag, integer, selectText, typed } from '../sql/columns.ts'
import {
  dayOfHour,
  firstHourOfDay,
  firstKeyOfHour,
  integerOf,
  isHourOfDay,
} from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { dateOfDay, readDayProgress } from '../store/history.ts'
import { reportsInMonths } from '../store/history-months.ts'
import type { CheckedPage, CheckOptions, Problem, Subject } from './checked-page.ts'

/** Days of a page. */
const PAGE = 20

const DAY = {
  day: integer('d.day'),
  reports: integer(
    `(select coalesce(sum(c.count), 0) from hour_counts c where ${isHourOfDay('c.hour', 'd.day')})`,
  ),
  archived: integer(
    `(select coalesce(sum(p.reports), 0) from history_parts p where p.day = d.day) + ${reportsInMonths('d.day')}`,
  ),
  waits: flag(`exists (select 1 from unarchived_days u where u.day = d.day)
    or exists (select 1 from open_hours o where ${isHourOfDay('o.hour', 'd.day')})`),
}
const nextCounted = (after: string): string =>
  `(select ${dayOfHour('min(c.hour)')} from hour_counts c where c.hour >= ${firstHourOfDay(`(${after} + 1)`)})`
const nextPart = (after: string): string =>
  `(select min(p.day) from history_parts p where p.day > ${after})`
const next = (after: string): string =>
  `min(coalesce(${nextCounted(after)}, ${nextPart(after)}), coalesce(${nextPart(after)}, ${nextCounted(after)}))`
/** ?1 the day before the page. */
const READ_DAYS = `with recursive d (day, n) as (select ${next(integerOf('?1'))}, 1
union all select ${next('d.day')}, n + 1 from d where d.day is not null and n < ${PAGE})
select ${selectText(DAY)} from d where d.day is not null`

/** No day has so low a number. */
const BEFORE_ALL = -1_000_000

export async function checkArchivedDays(
  database: Database,
  after: number,
  { history }: Pick<CheckOptions, 'history'>,
): Promise<CheckedPage> {
  const [days] = await database.batch([
    typed(DAY, { sql: READ_DAYS, params: [Math.max(after, BEFORE_ALL)] }),
  ])
  const problems: Problem[] = []
  for (const { day, reports, archived, waits } of days) {
    const mends: Subject = { kind: 'day', id: day }
    if (!waits && reports > archived) {
      problems.push({
        invariant: 'a day with reports is archived, or waits for it',
        where: `day ${dateOfDay(day)}: it has ${reports} reports, and its parts ${archived}`,
        mends,
      })
    }
    if (history === null) continue
    const files = await listFiles(history.bucket, dayPrefix('reports', day))
    problems.push(...(await problemsOfFiles(database, history, { day, archived }, files)))
  }
  return { checked: days.length, problems, next: days.length < PAGE ? null : days.at(-1)!.day }
}

async function problemsOfFiles(
  database: Database,
  { bucket, tables }: History,
  { day, archived }: { readonly day: number; readonly archived: number },
  files: readonly HistoryFile[],
): Promise<Problem[]> {
  const { parts } = await readDayProgress(database, day)
  const mends: Subject = { kind: 'day', id: day }
  const problems: Problem[] = []
  for (const { part } of parts) {
    if (files.some((file) => file.part === part)) continue
    const where = `${filePath('reports', day, part)} is missing`
    problems.push({ invariant: 'a part of the history has its file', where, mends })
  }
  for (const { part } of files) {
    const known = parts.find((one) => one.part === part)
    try {
      const { length: rows } = await readWholePart(bucket, day, part)
      if (known === undefined || known.reports === rows) continue
      const where = `${filePath('reports', day, part)} has ${rows} reports, and the database says ${known.reports}`
      problems.push({
        invariant: 'the database knows what a part of the history has',
        where,
        mends,
      })
    } catch (error) {
      const problem = problemOfFile(error)
      const isKept =
        known !== undefined &&
        !isNotGiven(error) &&
        (await areTablesWritten({ bucket, tables }, day, part)) &&
        (await isDayKept(database, day, archived))
      problems.push(
        isKept
          ? {
              ...problem,
              mends: { kind: 'part', id: filePath('reports', day, part) },
              remedy: ARCHIVED_AGAIN,
            }
          : problem,
      )
    }
  }
  return problems
}

const ARCHIVED_AGAIN = 'The database still has the whole day, so --repair archives it again.'

const KEPT = {
  /** Those that came after the parts were written can't stand for reports that were deleted since. */
  archived: integer(
    `count(*) filter (where r.receive_time <= (select max(p.written) from history_parts p where p.day = ?1))`,
  ),
  /** Retention takes events, and leaves these numbers. */
  shortened: integer(
    `count(*) filter (where r.body is null or r.events < r.failures + r.successes + r.noops + r.skips)`,
  ),
}
/** ?1 number of the day. */
const READ_KEPT = `select ${selectText(KEPT)} from reports r
where r.id >= ${firstKeyOfHour(firstHourOfDay('?1'))} and r.id < ${firstKeyOfHour(firstHourOfDay('(?1 + 1)'))}`

/** The file may be whole. */
const isNotGiven = (error: unknown): boolean =>
  error instanceof DamagedPart && error.flaw === 'not given'

/** Whether a part that is written again has all tables that it has now: HISTORY_TABLES may have had more. */
async function areTablesWritten(
  { bucket, tables }: Pick<History, 'bucket' | 'tables'>,
  day: number,
  part: number,
): Promise<boolean> {
  for (const table of HISTORY_TABLE_NAMES) {
    if (table === 'reports' || tables.includes(table)) continue
    const files = await listFiles(bucket, dayPrefix(table, day))
    if (files.some((file) => file.part === part)) return false
  }
  return true
}

/** Whether the database has all that the parts of a day hold. @param archived how many reports they hold */
async function isDayKept(database: Database, day: number, archived: number): Promise<boolean> {
  const [[kept]] = await database.batch([typed(KEPT, { sql: READ_KEPT, params: [day] })])
  return kept!.archived >= archived && kept!.shortened === 0
}

/** A file that reading threw for. @throws anything else */
export function problemOfFile(error: unknown): Problem {
  if (!(error instanceof DamagedPart)) throw error
  return {
    invariant: 'a file of the history can be read',
    where: error.message,
    remedy: remedyOfFile(error),
  }
}
