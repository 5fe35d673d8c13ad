/**
 * Groups the failures of history anew when the rules for causes and states have changed, newest reports first. Each step
 * is one transaction of bounded size, and the next run of housekeeping continues where this one stops.
 */

import { integer, nullable, selectText, text, typed } from '../sql/columns.ts'
import { integerOf, weekNumber } from '../sql/encoding.ts'
import { isFailedCode } from '../schema/states.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import type { Parameter, Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { causeName, reasonOf, RULES_VERSION } from '../report/reason.ts'
import {
  CAUSE_COLUMNS,
  CAUSE_FILE,
  causeRow,
  insertCauses,
  isFirstEvent,
  REPORT_CAUSE_COLUMNS,
  reportCause,
} from '../store/cause-rows.ts'
import { deleteOldAcknowledgements } from '../store/acknowledgements.ts'
import { isShortOf } from '../store/failures.ts'
import { deleteHourGroups, outdateLater } from '../store/hour-groups.ts'
import { readProgress, writeProgress } from '../store/regrouping.ts'
import { SET_RUNS } from '../store/runs.ts'
import { RENAME_SIGHTINGS } from '../store/sightings.ts'
import { readRegrouped, type RegroupedRun } from './failed-runs.ts'
import { RENAME_CAUSE_DAYS } from './kept-days.ts'

/** Reports passed in one step, and those of them that are read whole at once. */
const MOST_PASSED = 2000
const MOST_READ = 20
/** Limits of one run, far below those of a cron trigger. */
const LONGEST_RUN_MS = 10_000
const MOST_STATEMENTS = 400

const PAGE_OF_REPORTS = `(select r.id, r.state, r.failures from reports r not indexed where r.id < ${integerOf('?1')} order by r.id desc limit ${MOST_PASSED})`
const PAGE = { last: nullable(integer('min(id)')), count: integer('count(*)') }
const READ_PAGE = `select ${selectText(PAGE)} from ${PAGE_OF_REPORTS}`
/** Only such runs have causes, or might have. */
const CANDIDATE = { key: integer('id') }
const READ_CANDIDATES = `select ${selectText(CANDIDATE)} from ${PAGE_OF_REPORTS} where ${isFailedCode('state')} or failures > 0`

/**
 * @param now in ms
 * @returns how many reports got other causes or another state
 */
export async function regroupFailures(database: Database, now: number): Promise<number> {
  const week = weekNumber(now)
  const until = Date.now() + LONGEST_RUN_MS
  const before = database.usage.statements
  const mayContinue = (): boolean =>
    Date.now() < until && database.usage.statements - before < MOST_STATEMENTS
  const progress = await readProgress(database)
  if (progress.grouped) {
    if (!progress.noted) await database.batch([writeProgress(null)])
    return 0
  }
  let reports = 0
  let cursor = progress.cursor ?? Number.MAX_SAFE_INTEGER
  while (mayContinue()) {
    const [[page], candidates] = await database.batch([
      typed(PAGE, { sql: READ_PAGE, params: [cursor] }),
      typed(CANDIDATE, { sql: READ_CANDIDATES, params: [cursor] }),
    ])
    const keys = candidates.map(({ key }) => key)
    for (let from = 0; from < keys.length; from += MOST_READ) {
      if (!mayContinue()) return reports
      reports += await regroupReports(database, keys.slice(from, from + MOST_READ), week)
    }
    cursor = page!.last ?? cursor
    const isLast = page!.count < MOST_PASSED
    const last = isLast ? await finishingStatements(database, now) : []
    await database.batch([...last, writeProgress(isLast ? null : cursor)])
    if (isLast) break
  }
  return reports
}

/** Causes of old rules without a report are known by today's names when they come back. */
async function finishingStatements(database: Database, now: number): Promise<Statement[]> {
  const [unused] = await database.batch([typed(UNUSED, { sql: READ_UNUSED, params: [] })])
  const renamed = unused.map(({ name, reason }) => [
    name,
    causeName(reasonOf(reason, { certname: '', resource: null }).key),
  ])
  return [
    ...[RENAME_SIGHTINGS, ...RENAME_CAUSE_DAYS].map((sql) => ({
      sql,
      params: [JSON.stringify(renamed)],
    })),
    DELETE_UNUSED,
    deleteOldAcknowledgements(now),
  ]
}

/** In one transaction, or in halves if that is too much work for D1. A report that is too much alone keeps its causes. */
async function regroupReports(
  database: Database,
  keys: readonly number[],
  week: number,
): Promise<number> {
  try {
    const changed = await readRegrouped(database, keys)
    await database.batch([...regroupStatements(changed, week), writeProgress(keys.at(-1)!)])
    return changed.length
  } catch (error) {
    if (!isShortOf(error, 'too much work')) throw error
    if (keys.length === 1) return 0
    const half = Math.ceil(keys.length / 2)
    const first = await regroupReports(database, keys.slice(0, half), week)
    return first + (await regroupReports(database, keys.slice(half), week))
  }
}

/** Rows of [cause, report]. */
const DELETE_DROPPED = `delete from report_causes where (cause, report) in (select value ->> 0, value ->> 1 from json_each(?1))`
/** Rows of a cause (cause-rows.ts), then its report and the time of its run. ?1 the rows, ?2 week. */
const REPORT_OF_ROW = `value ->> ${CAUSE_COLUMNS}`
const INSERT_FILES = `insert into strings (kind, value, used)
select distinct ${STRING_KINDS.file}, ${CAUSE_FILE}, ?2 from json_each(?1) where ${CAUSE_FILE} is not null
on conflict (kind, value) do update set used = excluded.used where used < excluded.used`
const INSERT_CAUSES = insertCauses('?1', `value ->> ${CAUSE_COLUMNS + 1}`, '?2')
const INSERT_ADDED = `insert or ignore into ${REPORT_CAUSE_COLUMNS} select ${reportCause('r.id')}
from json_each(?1) c cross join reports r on r.id = c.${REPORT_OF_ROW} left join events e on ${isFirstEvent('r.id')}`
/** Rows of [report, state]. */
const SET_STATES = `update reports set state = s.value ->> 1 from json_each(?1) s where reports.id = s.value ->> 0`
/** Counted again by group-hours.ts. ?1 list of hours. */
const DELETE_GROUPS = deleteHourGroups('select value from json_each(?1)')
const OUTDATE_LATER = outdateLater('(select min(value) from json_each(?1))')
const OPEN_HOURS = `insert or ignore into open_hours (hour) select value from json_each(?1)`
/** The nodes whose rows hold a state that changed. */
const SET_NODES = `update nodes set
  state = (select r.state from reports r where r.id = nodes.latest),
  good = (select r.id from reports r indexed by reports_node where r.node = nodes.id and r.type = 0 and not ${isFailedCode('r.state')} order by r.id desc limit 1),
  ${SET_RUNS}
where id in (select value from json_each(?1))`
/** A hook that names a cause follows it. Rows of [old name, new name]. */
const MOVE_HOOKS = `update hooks set cause = (select value ->> 1 from json_each(?1) where value ->> 0 = hooks.cause)
where cause in (select value ->> 0 from json_each(?1))`
/** Acknowledgements follow too. A cause that has one already keeps it. */
const MOVE_ACKNOWLEDGEMENTS = `update or ignore acknowledgements set cause = (select value ->> 1 from json_each(?1) where value ->> 0 = acknowledgements.cause)
where cause in (select value ->> 0 from json_each(?1))`
const OF_UNUSED = `from causes where rules < ${RULES_VERSION} and not exists (select 1 from report_causes rc where rc.cause = causes.id)`
const UNUSED = { name: text('name'), reason: text('reason') }
const READ_UNUSED = `select ${selectText(UNUSED)} ${OF_UNUSED}`
const DELETE_UNUSED: Statement = { sql: `delete ${OF_UNUSED}`, params: [] }

/** @param week in which the entries of dictionaries are named */
function regroupStatements(runs: readonly RegroupedRun[], week: number): Statement[] {
  const dropped = runs.flatMap((run) => run.dropped.map(([id]) => [id, run.key]))
  const added = runs.flatMap(({ key, time, added }) =>
    added.map((cause) => [...causeRow(cause), key, time]),
  )
  const moved = runs.flatMap((run) =>
    run.added.flatMap(({ name }) => run.dropped.map(([, old]) => [old, name])),
  )
  const hours = runs.map(({ hour }) => hour)
  const restated = runs.filter(({ state }) => state !== null)
  const writes: readonly Write[] = [
    { sql: DELETE_DROPPED, list: dropped },
    { sql: INSERT_FILES, list: added, more: [week] },
    { sql: RENAME_SIGHTINGS, list: moved },
    { sql: INSERT_CAUSES, list: added, more: [week] },
    { sql: INSERT_ADDED, list: added },
    { sql: MOVE_HOOKS, list: moved },
    { sql: MOVE_ACKNOWLEDGEMENTS, list: moved },
    { sql: SET_STATES, list: restated.map(({ key, state }) => [key, state]) },
    { sql: OPEN_HOURS, list: restated.map(({ hour }) => hour) },
    { sql: DELETE_GROUPS, list: hours },
    ...OUTDATE_LATER.map((sql) => ({ sql, list: hours })),
    { sql: SET_NODES, list: restated.map(({ node }) => node) },
  ]
  return writes.flatMap(({ sql, list, more = [] }) =>
    list.length === 0 ? [] : [{ sql, params: [JSON.stringify(list), ...more] }],
  )
}

/** A statement over a list, ?1, and the parameters from ?2 on. */
interface Write {
  readonly sql: string
  readonly list: readonly unknown[]
  readonly more?: readonly Parameter[]
}
