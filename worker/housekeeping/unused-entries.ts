/**
 * Deletes entries of dictionaries that nothing refers to any more: strings, resources, lists of metric names, causes, code
 * versions. No index leads from an entry to its rows, so an entry has the week in which a report last named it (`used`).
 * Entries that were named before a certain week belong to reports that were received before it. Nearly all of those are
 * deleted by then; the entries of the others are marked anew, and the rest is deleted. Entries with the highest id stay,
 * so that no id is given to another text.
 */

import { DAY, MINUTE } from '../lib/time.ts'
import { eventFields } from '../schema/event-fields.ts'
import { keyMillisecond } from '../schema/key.ts'
import { reportFields } from '../schema/report-fields.ts'
import type { Settings } from '../schema/settings.ts'
import type { StoredField } from '../schema/stored-field.ts'
import { integer, nullable, selectText, typed } from '../sql/columns.ts'
import { firstKey, integerOf, weekNumber, weekStart } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { deleteOldSightings } from '../store/sightings.ts'
import { deleteOldKeptDays } from './kept-days.ts'

/** The result of a run. */
export interface EntriesDeletion {
  readonly deleted: number
  /** False if the next run has to continue. */
  readonly complete: boolean
}

/** A round over all dictionaries: deletes entries that were last named before a week. */
interface Round {
  readonly before: number
  /** The week that marks what is still referred to. */
  readonly week: number
}

/** A step of a round, done in pages. @returns where the next page begins, null after the last one, and the entries deleted */
type Step = (
  database: Database,
  round: Round,
  cursor: number,
) => Promise<{ readonly next: number | null; readonly deleted: number }>

/** Statements and time of a run, beside those of retention. */
const MOST_STATEMENTS = 150
const LONGEST_RUN_MS = 5000

const REPORTS_AT_ONCE = 1000
const EVENTS_AT_ONCE = 20_000
const ENTRIES_AT_ONCE = 5000

/** Before the first key, time and id. */
const START = Number.MIN_SAFE_INTEGER

/** Where reports are kept longer, or for ever, entries are kept as long as this beyond their last report. */
const LONGEST_AGE_MS = 90 * DAY

// Marks. ?1 week before which entries are marked, ?2 week to mark them with.

const mark = (table: string, ids: readonly string[]): string =>
  `update ${table} set used = ?2 where used < ?1 and id in (${ids.join(' union ')})`

/** The values of columns, one a row: D1 allows a compound select five terms. */
const valuesOf = (columns: readonly string[], table: string, condition = '1'): string =>
  `select one.value from ${table} t, json_each(json_array(${columns.map((column) => `t.${column}`).join(', ')})) one where ${condition}`

/** Strings that nodes, hours, kept days and code versions refer to. */
const MARK_LASTING = mark('strings', [
  valuesOf(['environment', 'catalog_environment', 'facts_environment'], 'nodes'),
  valuesOf(['environment', 'status'], 'hour_counts'),
  valuesOf(
    ['value ->> 0', 'value ->> 1'],
    '(select g.value from kept_days k, json_each(k.groups) g)',
  ),
  'select environment from code_versions',
  'select environment from hour_groups',
])

/** ?3 keys of reports, as a JSON list. */
const KEYS = '(select value from json_each(?3))'
const ofReports = (...columns: readonly string[]): string =>
  valuesOf(columns, 'reports', `t.id in ${KEYS}`)
const ofEvents = (...columns: readonly string[]): string =>
  valuesOf(columns, 'events', `t.report in ${KEYS}`)
const ofCauses = (column: string): string =>
  `select ${column} from report_causes where report in ${KEYS}`
const referencesOf = (fields: readonly (readonly [string, StoredField])[]): string[] =>
  fields.flatMap(([, { name, stored }]) => (stored.form === 'reference' ? [name] : []))

/** Marks the entries of reports. */
const MARK_REPORTS: readonly string[] = [
  mark('strings', [
    ofReports(...referencesOf(reportFields)),
    ofEvents(...referencesOf(eventFields)),
    ofCauses('file'),
  ]),
  mark('resources', [
    ofEvents('resource'),
    ofCauses('resource'),
    `select ${integerOf('slow.key')} from reports r, json_each(r.slowest) slow where r.id in ${KEYS}`,
  ]),
  mark('metric_sets', [ofReports('metric_set')]),
  mark('causes', [ofCauses('cause')]),
  `update code_versions set used = ?2 where used < ?1 and (environment, version) in (
    select r.environment, coalesce((select value from strings where id = r.code_id), r.configuration_version)
    from reports r where r.id in ${KEYS})`,
]

const markReports = async (
  database: Database,
  { before, week }: Round,
  keys: readonly number[],
): Promise<void> => {
  const params = [before, week, JSON.stringify(keys)]
  await database.batch(MARK_REPORTS.map((sql): Statement => ({ sql, params })))
}

const markLasting: Step = async (database, { before, week }) => {
  await database.batch([
    deleteOldSightings(weekStart(week)),
    ...deleteOldKeptDays(weekStart(week)),
    { sql: MARK_LASTING, params: [before, week] },
  ])
  return { next: null, deleted: 0 }
}

/** The key before which reports were received before the round's week, unless their clock was off. */
const keyLimit = ({ before }: Round): number => firstKey(keyMillisecond(weekStart(before) + MINUTE))

const REPORT = { key: integer('id'), events: integer('events') }
/** ?1 key before the first, ?2 key behind the last. */
const READ_OLD = `select ${selectText(REPORT)} from reports
where id > ${integerOf('?1')} and id < ${integerOf('?2')} order by id limit ${REPORTS_AT_ONCE}`

const markOldReports: Step = async (database, round, cursor) => {
  const params = [cursor, keyLimit(round)]
  const [rows] = await database.batch([typed(REPORT, { sql: READ_OLD, params })])
  let events = 0
  const page = rows.filter((row, index) => (events += row.events) <= EVENTS_AT_ONCE || index === 0)
  if (page.length > 0)
    await markReports(
      database,
      round,
      page.map(({ key }) => key),
    )
  return {
    next: page.length === rows.length && rows.length < REPORTS_AT_ONCE ? null : page.at(-1)!.key,
    deleted: 0,
  }
}

const LATE = { key: integer('id'), received: integer('receive_time') }
const IS_LATE = 'clock_flags & 2 and receive_time > ?1 and receive_time < ?2'
/** ?1 time of receipt before the first, ?2 time behind the last, ?3 key limit. Reports of one millisecond are read together. */
const READ_LATE = `select ${selectText(LATE)} from reports where ${IS_LATE} and id >= ${integerOf('?3')}
and receive_time <= (select max(receive_time) from (
  select receive_time from reports where ${IS_LATE} and id >= ${integerOf('?3')} order by receive_time limit ${REPORTS_AT_ONCE}))
order by receive_time`

/** Reports whose clock was ahead: their keys are those of later reports. */
const markEarlyReceipts: Step = async (database, round, cursor) => {
  const params = [cursor, weekStart(round.before), keyLimit(round)]
  const [rows] = await database.batch([typed(LATE, { sql: READ_LATE, params })])
  if (rows.length === 0) return { next: null, deleted: 0 }
  await markReports(
    database,
    round,
    rows.map(({ key }) => key),
  )
  return { next: rows.at(-1)!.received, deleted: 0 }
}

const PAGE = { last: nullable(integer('max(id)')), size: integer('count(*)') }
const DELETED = { deleted: integer('1') }

/** Deletes unused entries of a table, a page of ids at a time. @param spared SQL that the entries to delete must meet too */
function deleteFrom(table: string, spared = '1'): Step {
  const page = `(select id from ${table} where id > ?1 order by id limit ${ENTRIES_AT_ONCE})`
  const read = `select ${selectText(PAGE)} from ${page}`
  const remove = `delete from ${table} where used < ?2 and ${spared} and id in ${page}
and id < (select max(id) from ${table}) returning ${selectText(DELETED)}`
  return async (database, { before }, cursor) => {
    const [[found], deleted] = await database.batch([
      typed(PAGE, { sql: read, params: [cursor] }),
      typed(DELETED, { sql: remove, params: [cursor, before] }),
    ])
    const { last, size } = found!
    return { next: size < ENTRIES_AT_ONCE ? null : last, deleted: deleted.length }
  }
}

const DELETE_VERSIONS = `delete from code_versions where (environment, version) in (
  select environment, version from code_versions where used < ?1 limit ${ENTRIES_AT_ONCE}) returning ${selectText(DELETED)}`

const deleteVersions: Step = async (database, { before }) => {
  const [deleted] = await database.batch([
    typed(DELETED, { sql: DELETE_VERSIONS, params: [before] }),
  ])
  return { next: deleted.length < ENTRIES_AT_ONCE ? null : START, deleted: deleted.length }
}

/** Marks come before deletions; code versions refer to strings. */
const STEPS: readonly Step[] = [
  markOldReports,
  markEarlyReceipts,
  deleteVersions,
  markLasting,
  deleteFrom('strings'),
  deleteFrom('resources'),
  deleteFrom('metric_sets'),
  deleteFrom(
    'causes',
    'name not in (select cause from hooks union all select cause from acknowledgements union all select cause from cause_days)',
  ),
]

const PROGRESS = { before: integer('before'), step: integer('step'), cursor: integer('cursor') }
const READ_PROGRESS = `select ${selectText(PROGRESS)} from unused_entries_progress`
const WRITE_PROGRESS = `insert or replace into unused_entries_progress (id, before, step, cursor) values (1, ?1, ?2, ${integerOf('?3')})`

/** The week before which entries were last named that a round deletes. */
function weekBefore(now: number, { REPORT_TTL, REPORT_TTL_RULES }: Settings): number {
  const ages = [REPORT_TTL, ...REPORT_TTL_RULES.map(({ ttl }) => ttl)]
  const longest = Math.max(...ages.map((age) => (age === 0 ? LONGEST_AGE_MS : age)))
  return weekNumber(now - Math.min(longest, LONGEST_AGE_MS)) - 1
}

/**
 * Deletes unused entries, a round a week, in steps of bounded size; the next run continues where this one stops. The caller
 * holds the lease of housekeeping.
 *
 * @param now in ms
 */
export async function deleteUnusedEntries(
  database: Database,
  settings: Settings,
  now: number,
): Promise<EntriesDeletion> {
  const [[stored]] = await database.batch([typed(PROGRESS, { sql: READ_PROGRESS, params: [] })])
  // Reports mark their entries by this clock, and a trigger may name a time ahead of it.
  const clock = Math.min(now, Date.now())
  const newest = weekBefore(clock, settings)
  const isOver = stored === undefined || stored.step >= STEPS.length
  if (isOver && newest <= (stored?.before ?? -Infinity)) return { deleted: 0, complete: true }
  const begun = isOver ? { before: newest, step: 0, cursor: START } : stored
  const { before } = begun
  let { step, cursor } = begun
  const round = { before, week: weekNumber(clock) }
  const until = Date.now() + LONGEST_RUN_MS
  const last = database.usage.statements + MOST_STATEMENTS
  let deleted = 0
  while (step < STEPS.length && Date.now() < until && database.usage.statements < last) {
    const page = await STEPS[step]!(database, round, cursor)
    deleted += page.deleted
    if (page.next === null) step++
    cursor = page.next ?? START
  }
  await database.batch([{ sql: WRITE_PROGRESS, params: [before, step, cursor] }])
  return { deleted, complete: step >= STEPS.length }
}
