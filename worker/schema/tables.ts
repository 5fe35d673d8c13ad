/** The tables that SQL is built from; a test compares them with the migrations. A table that only one file uses is named in that file's SQL. */

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

/**
 * Every short text that a fleet repeats, stored once. Isolates cache it by its highest id, so the entry with the highest
 * id stays: no id is ever given to another text.
 */
export const strings = sqliteTable('strings', {
  id: integer('id').primaryKey(),
  kind: integer('kind').notNull(),
  value: text('value').notNull(),
  /** The week in which a report last named it. An entry that nothing refers to any more is deleted. */
  used: integer('used').notNull(),
})

/** The resources of events; a fleet repeats the same few thousand. Like strings in all else. `path` is JSON text, or `''` for none. */
export const resources = sqliteTable('resources', {
  id: integer('id').primaryKey(),
  type: text('type').notNull(),
  title: text('title').notNull(),
  path: text('path').notNull(),
  class: text('class'),
  used: integer('used').notNull(),
})

/**
 * One row per certname. AUTOINCREMENT because retention purges nodes: an id must never become another
 * node's while an isolate still remembers the old one.
 */
export const nodes = sqliteTable('nodes', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  certname: text('certname').notNull(),
  /** Key of the latest report: the agent report with the greatest producer timestamp; of equal ones, the first that was stored. */
  latest: integer('latest'),
  deactivated: time('deactivated'),
  expired: time('expired'),
  catalogEnvironment: string('catalog_environment'),
  /** Computed by the database: the environment of the catalog, or of the latest report where no catalog was sent. */
  shownCatalogEnvironment: string('shown_catalog_environment'),
  /** The producer timestamps of the catalog and the facts that were stored last; older ones are ignored. */
  catalogProducerTimestamp: time('catalog_producer_timestamp'),
  factsEnvironment: string('facts_environment'),
  factsProducerTimestamp: time('facts_producer_timestamp'),
  /** Columns of the latest report (COPIED_FROM_LATEST), so that counting the fleet reads these rows alone. */
  state: integer('state'),
  environment: string('environment'),
  /** Key of the last agent report that did not fail. */
  lastGood: integer('good'),
  /** Key of the newest agent report, and the last 32 runs, packed (store/runs.ts). Every report updates the row anyway. */
  newestReport: integer('newest'),
  runs: blob('runs'),
  /** The usual time between two runs of the strip, in ms. */
  usual: integer('usual'),
  /** When the catalog and the facts were received. */
  catalogTimestamp: time('catalog_timestamp'),
  factsTimestamp: time('facts_timestamp'),
  agentVersion: string('agent_version'),
  codeId: string('code_id'),
  configurationVersion: text('configuration_version'),
  cachedCatalogStatus: string('cached_catalog_status'),
  producer: string('producer'),
})

/** What the row of a node has of its latest report, by the same names. */
export const COPIED_FROM_LATEST = [
  'state',
  'environment',
  'agent_version',
  'code_id',
  'configuration_version',
  'cached_catalog_status',
  'producer',
] as const

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

/** The columns of fields that senders send, by property name. */
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
 * One row per report. The key orders reports by time: producer timestamp in ms × 1024 + a number that
 * distinguishes reports of the same millisecond. It stays below 2^53 until the year 2248.
 */
export const reports = sqliteTable('reports', {
  id: integer('id').primaryKey(),
  hash: blob('hash').notNull(),
  node: integer('node').notNull(),
  receiveTime: time('receive_time').notNull(),
  /** The columns of report-fields.ts. */
  ...columnsOf<ReportFieldName>(reportFields),
  /** Rows in `events`: 0 after retention has deleted them. */
  events: integer('events').notNull(),
  /** How many events the report came with, by the four statuses that counts know. */
  failures: integer('failures').notNull(),
  successes: integer('successes').notNull(),
  noops: integer('noops').notNull(),
  skips: integer('skips').notNull(),
  /** Bits for clocks that differ (clocks.ts): 0 where none does. */
  clockFlags: integer('clock_flags').notNull(),
  /** The state of the run (states.ts). */
  state: integer('state').notNull(),
  metricSet: integer('metric_set'),
  /** Metric values and logs, packed (report/body.ts); null after retention has deleted them. Follows the columns used for counting, so that counting reads no overflow page. */
  body: blob('body'),
  /** JSON text: ms by resource id, of the slowest resources. Null where the sender does not report them. */
  slowest: text('slowest'),
  /** JSON list of sentences about parts of the report that were left out; null where nothing was. */
  warnings: text('warnings'),
})

/** Hours of producer timestamps in which reports were stored after the hour was last counted. */
export const openHours = sqliteTable('open_hours', {
  hour: integer('hour').primaryKey(),
  /** The key up to which the hour is counted (sql/open-hours.ts); at most 0 where it is not. */
  counted: integer('counted').notNull(),
})

/** The columns that reports are counted by, beside their hour. */
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
 * Numbers of reports by hour, for hours that are not open: counts over all history read these few rows,
 * and an arriving report writes none. -1 means null.
 */
export const hourCounts = sqliteTable('hour_counts', {
  hour: integer('hour').notNull(),
  ...dimensionColumns,
  count: integer('count').notNull(),
})

/**
 * The hour counts of whole days, added up: what a day's hours say is read in one row. A day may have no row, and has one only
 * while its hour counts stay as they are; a row does not count while an hour of its day is open.
 */
export const dayCounts = sqliteTable('day_counts', {
  day: integer('day').primaryKey(),
  /** Reports of the day. */
  count: integer('count').notNull(),
  /** JSON: lists of the values of HOUR_DIMENSIONS and their number. */
  groups: text('groups').notNull(),
})

/** The runs of each day that were deleted: they and the stored ones are the runs of the day. */
export const keptDays = sqliteTable('kept_days', {
  day: integer('day').primaryKey(),
  /** As in `dayCounts`. */
  groups: text('groups').notNull(),
})

/** The failed runs of each day that were deleted, by cause and environment. */
export const causeDays = sqliteTable('cause_days', {
  day: integer('day').notNull(),
  /** By its name: its row may be deleted meanwhile. */
  cause: text('cause').notNull(),
  environment: string('environment').notNull(),
  runs: integer('runs').notNull(),
  /** The most of a batch that was deleted: the day had at least so many. */
  nodes: integer('nodes').notNull(),
  first: time('first').notNull(),
  last: time('last').notNull(),
})

/** The day from which on both know every deleted run; no row for all that were ever deleted. */
export const keptSince = sqliteTable('kept_since', {
  id: integer('id').primaryKey(),
  day: integer('day').notNull(),
})

/**
 * Failures and drift of closed hours by cause, class and resource (store/hour-groups.ts). An hour that lacks its mark, a row of
 * kind 0, is read from its reports.
 */
export const hourGroups = sqliteTable('hour_groups', {
  kind: integer('kind').notNull(),
  hour: integer('hour').notNull(),
  environment: string('environment').notNull(),
  /** Rows of one environment, where one would be too long. */
  part: integer('part').notNull(),
  /** JSON: a list for each label. */
  groups: text('groups').notNull(),
})

/** When each cause and drift was first and last seen in an environment: kept when the reports are deleted. */
export const sightings = sqliteTable('sightings', {
  kind: integer('kind').notNull(),
  name: text('name').notNull(),
  /** By its name: an environment may be forgotten meanwhile. */
  environment: text('environment').notNull(),
  first: time('first').notNull(),
  last: time('last').notNull(),
})

/** The further pieces of a body that is longer than one row may be. */
export const bodyParts = sqliteTable('body_parts', {
  report: integer('report').notNull(),
  part: integer('part').notNull(),
  data: blob('data').notNull(),
})

/** Events, clustered under their report. */
export const events = sqliteTable('events', {
  report: integer('report').notNull(),
  number: integer('n').notNull(),
  resource: integer('resource').notNull(),
  /** The columns of event-fields.ts. */
  ...columnsOf<EventFieldName>(eventFields),
  /** JSON text; NULL is JSON's null. */
  oldValue: text('old_value'),
  newValue: text('new_value'),
  message: text('message'),
  /** 1 where a value was too long for the row, which then holds its beginning; `long_values` holds all of it. */
  long: flag('long'),
})

/** Values of events that are longer than one row may be, in pieces. */
export const longValues = sqliteTable('long_values', {
  report: integer('report').notNull(),
  number: integer('n').notNull(),
  /** Name of the column of `events`. */
  field: text('field').notNull(),
  part: integer('part').notNull(),
  data: text('data').notNull(),
})
