/** The tables that SQL is built from; migrations must say the same (a test compares them). Tables that one file alone writes and reads are named in its SQL. */

import {
  blob,
  integer,
  sqliteTable,
  text,
  type SQLiteColumnBuilderBase,
} from 'drizzle-orm/sqlite-core'
import { eventFields, type EventFieldName } from './event-fields.ts'
import { reportFields, type ReportFieldName } from './report-fields.ts'
import type { StoredField } from './stored-field.ts'

/** Times are integer milliseconds since 1970, UTC; booleans are 0 and 1; `string` columns hold ids of `strings`. */
const time = integer
const string = integer
const flag = integer

/** Every short text that a fleet repeats, once. Append-only: isolates cache it by its highest id. */
export const strings = sqliteTable('strings', {
  id: integer('id').primaryKey(),
  kind: integer('kind').notNull(),
  value: text('value').notNull(),
})

/** What an event is about; a fleet repeats the same few thousand. Append-only. `path` is JSON text or `''` for none. */
export const resources = sqliteTable('resources', {
  id: integer('id').primaryKey(),
  type: text('type').notNull(),
  title: text('title').notNull(),
  path: text('path').notNull(),
  class: text('class'),
})

/**
 * One row per certname. AUTOINCREMENT because nodes get purged: an id must never come back as
 * another node while some isolate still remembers the old one.
 */
export const nodes = sqliteTable('nodes', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  certname: text('certname').notNull(),
  /** Key of the latest report: the agent report with the greatest producer timestamp, first stored wins. */
  latest: integer('latest'),
  deactivated: time('deactivated'),
  expired: time('expired'),
  catalogEnvironment: string('catalog_environment'),
  catalogTimestamp: time('catalog_timestamp'),
  factsEnvironment: string('facts_environment'),
  factsTimestamp: time('facts_timestamp'),
  /** State (states.ts) and environment of the latest report, so that a fleet is counted from these rows alone. */
  state: integer('state'),
  environment: string('environment'),
  /** Key of the last agent report that did not fail. */
  good: integer('good'),
  /** Key of the newest agent report, and its last 32 runs, packed (report/runs.ts): the row is written anyway. */
  newest: integer('newest'),
  runs: blob('runs'),
})

const COLUMNS: Readonly<
  Record<
    StoredField['stored']['type'],
    (name: string, nullable: boolean) => SQLiteColumnBuilderBase
  >
> = {
  text: (name, nullable) => (nullable ? text(name) : text(name).notNull()),
  integer: (name, nullable) => (nullable ? integer(name) : integer(name).notNull()),
  blob: (name, nullable) => (nullable ? blob(name) : blob(name).notNull()),
}

/** The columns of fields that are sent, by the names of their values. */
const columnsOf = <Property extends string>(
  fields: readonly (readonly [Property, StoredField])[],
) =>
  Object.fromEntries(
    fields.map(([property, { name, nullable, stored }]) => [
      property,
      COLUMNS[stored.type](name, nullable || stored.form === 'key'),
    ]),
  ) as Record<Property, SQLiteColumnBuilderBase>

/**
 * One row per report. The key is the time order itself: producer timestamp in ms × 1024 + a number
 * that tells reports of the same millisecond apart. × 1024 stays below 2^53 until the year 2248.
 */
export const reports = sqliteTable('reports', {
  id: integer('id').primaryKey(),
  hash: blob('hash').notNull(),
  node: integer('node').notNull(),
  receiveTime: time('receive_time').notNull(),
  /** Those of report-fields.ts. */
  ...columnsOf<ReportFieldName>(reportFields),
  /** Rows of `events`: 0 once retention has taken them. */
  events: integer('events').notNull(),
  /** How many events of the four statuses that counts know the report came with. */
  failures: integer('failures').notNull(),
  successes: integer('successes').notNull(),
  noops: integer('noops').notNull(),
  skips: integer('skips').notNull(),
  /** How its clocks stray (clocks.ts): 0 where they don't. */
  clockFlags: integer('clock_flags').notNull(),
  /** What the run came to (states.ts). */
  state: integer('state').notNull(),
  metricSet: integer('metric_set'),
  /** Metric values and logs, packed (report/body.ts); null once retention has taken them. Behind the columns that are counted by, so that counting touches no overflow page. */
  body: blob('body'),
  /** JSON text: ms by the id of the resource, of those that took longest. Null where the sender does not say. */
  slowest: text('slowest'),
  /** JSON list of sentences about what was left out of the report; null where nothing was. */
  warnings: text('warnings'),
})

/** Hours of producer timestamps in which reports have been stored since the hour was last counted. */
export const openHours = sqliteTable('open_hours', { hour: integer('hour').primaryKey() })

/** What reports are counted by, beside their hour. */
export const HOUR_DIMENSIONS = [
  'environment',
  'status',
  'noop',
  'noopPending',
  'type',
  'clockFlags',
  'state',
] as const

const dimensionColumns = Object.fromEntries<SQLiteColumnBuilderBase>(
  HOUR_DIMENSIONS.map((property) => [property, integer(reports[property].name).notNull()]),
) as Record<(typeof HOUR_DIMENSIONS)[number], SQLiteColumnBuilderBase>

/**
 * Numbers of reports by hour, for hours that are not open: counts over all history read these few
 * rows, and an arriving report writes none. -1 stands for null.
 */
export const hourCounts = sqliteTable('hour_counts', {
  hour: integer('hour').notNull(),
  ...dimensionColumns,
  count: integer('count').notNull(),
})

/** What follows the first piece of a body that is longer than one row may be. */
export const bodyParts = sqliteTable('body_parts', {
  report: integer('report').notNull(),
  part: integer('part').notNull(),
  data: blob('data').notNull(),
})

/** Events, clustered under their report. */
export const events = sqliteTable('events', {
  report: integer('report').notNull(),
  n: integer('n').notNull(),
  resource: integer('resource').notNull(),
  /** Those of event-fields.ts. */
  ...columnsOf<EventFieldName>(eventFields),
  /** JSON text; NULL is JSON's null. */
  oldValue: text('old_value'),
  newValue: text('new_value'),
  message: text('message'),
  /** 1 where a value was too long for the row: its beginning stands here, all of it in `long_values`. */
  long: flag('long'),
})

/** Values of events that are longer than one row may be, in pieces. */
export const longValues = sqliteTable('long_values', {
  report: integer('report').notNull(),
  n: integer('n').notNull(),
  /** Name of the column of `events`. */
  field: text('field').notNull(),
  part: integer('part').notNull(),
  data: text('data').notNull(),
})
