/**
 * The tables beside the reports: SQL names them by hand, so that what is deployed has no use for these
 * definitions. Migrations must say the same (a test compares them). Keys of several
 * columns and indexes stand in indexes.ts.
 */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** In ms since 1970, UTC. */
const time = integer
/** Ids of `strings`. */
const string = integer

/** The ordered list of metric names that reports of one agent version share, as JSON text. Append-only. */
export const metricSets = sqliteTable('metric_sets', {
  id: integer('id').primaryKey(),
  names: text('names').notNull(),
})

/**
 * How far each rule of retention has come: every report whose key is below `cursor` is one that the rule
 * leaves alone, or stands in `protected_reports` or in an hour that is open.
 */
export const retentionProgress = sqliteTable('retention_progress', {
  rule: text('rule').primaryKey(),
  cursor: integer('cursor').notNull(),
})

/** Reports that a rule passed over because they were their node's latest: looked at again once they are not. */
export const protectedReports = sqliteTable('protected_reports', {
  rule: text('rule').notNull(),
  report: integer('report').notNull(),
})

/** Work that one at a time may do, who does it, and until when others leave it to them. */
export const leases = sqliteTable('leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  until: time('until').notNull(),
})

/** How often each command was answered 200 without being kept. */
export const ignoredCommands = sqliteTable('ignored_commands', {
  command: text('command').primaryKey(),
  count: integer('count').notNull(),
})

/** Why runs fail: reasons (report/reason.ts), each once. Names are digests, the same everywhere. */
export const causes = sqliteTable('causes', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  reason: text('reason').notNull(),
  /** Earliest producer timestamp of a report that has it, over all history. */
  first: time('first').notNull(),
})

/** Which reports have which cause: rows only for reports that failed. Clustered by cause, then by time. */
export const reportCauses = sqliteTable('report_causes', {
  cause: integer('cause').notNull(),
  report: integer('report').notNull(),
  /** Number of failed events of it; 0 where a log line tells. */
  events: integer('events').notNull(),
  /** Number of the first of them, or of the log line. */
  event: integer('event'),
  log: integer('log'),
  /** What that event is about, and where it stands in the code; of a log line, where that says that it happened. */
  resource: integer('resource'),
  file: string('file'),
  line: integer('line'),
})

/** When each version of the code (report/code-version.ts) was first applied in an environment. */
export const codeVersions = sqliteTable('code_versions', {
  environment: string('environment').notNull(),
  version: text('version').notNull(),
  first: time('first').notNull(),
})

/** Queries that someone saved. */
export const savedQueries = sqliteTable('saved_queries', {
  name: text('name').primaryKey(),
  title: text('title').notNull(),
  query: text('query').notNull(),
  saved: time('saved').notNull(),
})
