/**
 * The stored tables, defined once: migrations must say the same (a test compares them), and every
 * index names the query that pays for it, because on D1 each entry is one more row written.
 */

import { sql } from 'drizzle-orm'
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Times are integer milliseconds since 1970, UTC; booleans are 0 and 1; `word` columns hold ids of `words`. */
const time = integer
const word = integer
const flag = integer

/** Kinds of words: what the numbers in `words.kind` mean. Stored, so a number can never change its meaning. */
export const WORD_KINDS = {
  environment: 1,
  producer: 2,
  agentVersion: 3,
  reportStatus: 4,
  cachedCatalogStatus: 5,
  codeId: 6,
  eventStatus: 7,
  file: 8,
  property: 9,
  eventName: 10,
} as const
export type WordKind = keyof typeof WORD_KINDS

/** Every short text that a fleet repeats, once. Append-only: isolates cache it by its highest id. */
export const words = sqliteTable(
  'words',
  {
    id: integer('id').primaryKey(),
    kind: integer('kind').notNull(),
    value: text('value').notNull(),
  },
  (table) => [
    // Equality on any word field; listing environments and producers.
    uniqueIndex('words_value').on(table.kind, table.value),
  ],
)

/** What an event is about; a fleet repeats the same few thousand. Append-only. `path` is JSON text or `''` for none. */
export const subjects = sqliteTable(
  'subjects',
  {
    id: integer('id').primaryKey(),
    type: text('type').notNull(),
    title: text('title').notNull(),
    path: text('path').notNull(),
    class: text('class'),
  },
  (table) => [
    // Finding the id of a subject while its event is stored; events of a resource type or title.
    uniqueIndex('subjects_value').on(table.type, table.title, table.path),
  ],
)

/** The ordered list of metric names that reports of one agent version share, as JSON text. Append-only. */
export const metricSets = sqliteTable(
  'metric_sets',
  {
    id: integer('id').primaryKey(),
    names: text('names').notNull(),
  },
  (table) => [
    // Finding the id of a list while its report is stored.
    uniqueIndex('metric_sets_names').on(table.names),
  ],
)

/**
 * One row per certname. AUTOINCREMENT because nodes get purged: an id must never come back as
 * another node while some isolate still remembers the old one.
 */
export const nodes = sqliteTable(
  'nodes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    certname: text('certname').notNull(),
    /** Key of the latest report: the agent report with the greatest producer timestamp, first stored wins. */
    latest: integer('latest'),
    deactivated: time('deactivated'),
    expired: time('expired'),
    catalogEnvironment: word('catalog_environment'),
    catalogTimestamp: time('catalog_timestamp'),
    factsEnvironment: word('facts_environment'),
    factsTimestamp: time('facts_timestamp'),
    /** State (states.ts) and environment of the latest report, so that a fleet is counted from these rows alone. */
    state: integer('state'),
    environment: word('environment'),
    /** Key of the last agent report that did not fail. */
    good: integer('good'),
    /** Key of the newest agent report, and its last 32 runs, packed (report/runs.ts): the row is written anyway. */
    newest: integer('newest'),
    runs: blob('runs'),
  },
  (table) => [
    // Everything by certname.
    uniqueIndex('nodes_certname').on(table.certname),
    // The implicit filter on active nodes; holds inactive nodes only, so an active one costs no entry.
    index('nodes_inactive')
      .on(table.id)
      .where(sql`${table.deactivated} is not null or ${table.expired} is not null`),
  ],
)

/**
 * One row per report. The key is the time order itself: producer timestamp in ms × 1024 + a number
 * that tells reports of the same millisecond apart. × 1024 stays below 2^53 until the year 2248.
 */
export const reports = sqliteTable(
  'reports',
  {
    id: integer('id').primaryKey(),
    hash: blob('hash').notNull(),
    node: integer('node').notNull(),
    status: word('status'),
    environment: word('environment').notNull(),
    producer: word('producer'),
    agentVersion: word('agent_version').notNull(),
    reportFormat: integer('report_format').notNull(),
    /** 0 agent, 1 plan. */
    type: integer('type').notNull(),
    configurationVersion: text('configuration_version').notNull(),
    startTime: time('start_time').notNull(),
    endTime: time('end_time').notNull(),
    receiveTime: time('receive_time').notNull(),
    /** Only where the key can't hold it: a full millisecond, or a time beyond the key's range. */
    producerTimestamp: time('producer_timestamp'),
    /** 16 bytes, or the text as sent where it is no UUID. */
    transactionUuid: blob('transaction_uuid'),
    catalogUuid: blob('catalog_uuid'),
    codeId: word('code_id'),
    cachedCatalogStatus: word('cached_catalog_status'),
    noop: flag('noop'),
    noopPending: flag('noop_pending'),
    correctiveChange: flag('corrective_change'),
    jobId: text('job_id'),
    /** Rows of `events`: 0 once retention has taken them. */
    events: integer('events').notNull(),
    /** How many events of the four statuses that counts know the report came with. */
    failures: integer('failures').notNull(),
    successes: integer('successes').notNull(),
    noops: integer('noops').notNull(),
    skips: integer('skips').notNull(),
    /** How its clocks stray (clocks.ts): 0 where they don't. */
    odd: integer('odd').notNull(),
    /** What the run came to (states.ts). */
    state: integer('state').notNull(),
    metricSet: integer('metric_set'),
    /** Metric values and logs, packed (report/body.ts); null once retention has taken them. Last, so that reading a row without it touches no overflow page. */
    body: blob('body'),
  },
  (table) => [
    // /reports/<hash>/…, and recognising a report that was stored before.
    uniqueIndex('reports_hash').on(table.hash),
    // Reports of a node, newest first: SQLite appends the key itself.
    index('reports_node').on(table.node),
    // The few reports of agents whose clocks stray, last begun or ended first, whichever is later; an ordinary one costs no entry.
    index('reports_odd')
      .on(sql`max(${table.startTime}, ${table.endTime})`)
      .where(sql`${table.odd} & 1`),
    // Those of a node.
    index('reports_odd_node')
      .on(table.node, sql`max(${table.startTime}, ${table.endTime})`)
      .where(sql`${table.odd} & 1`),
    // Reports that came late, first in the order of receive_time or counted by it; a punctual one costs no entry.
    index('reports_late')
      .on(table.receiveTime)
      .where(sql`${table.odd} & 2`),
    // Those of a node, in the order of receive_time.
    index('reports_late_node')
      .on(table.node, table.receiveTime)
      .where(sql`${table.odd} & 2`),
    // The next to none whose producer timestamp the key can't hold, first in its order.
    index('reports_moved')
      .on(table.producerTimestamp)
      .where(sql`${table.producerTimestamp} is not null`),
    // Runs that failed, corrected drift or would change something, newest first; an ordinary one costs no entry.
    index('reports_notable')
      .on(table.state)
      .where(sql`${table.state} not in (0, 1, 4)`),
    // Lists sorted by end_time (Puppetboard's), counts by status or environment, totals.
    index('reports_end').on(
      table.endTime,
      table.status,
      table.environment,
      table.noop,
      table.noopPending,
      table.type,
      table.node,
      table.startTime,
    ),
  ],
)

/** Hours of producer timestamps in which reports have been stored since the hour was last counted. */
export const openHours = sqliteTable('open_hours', { hour: integer('hour').primaryKey() })

/**
 * Numbers of reports by hour, for hours that are not open: counts over all history read these few
 * rows, and an arriving report writes none. -1 stands for null.
 */
export const hourCounts = sqliteTable(
  'hour_counts',
  {
    hour: integer('hour').notNull(),
    environment: word('environment').notNull(),
    status: word('status').notNull(),
    noop: flag('noop').notNull(),
    noopPending: flag('noop_pending').notNull(),
    type: integer('type').notNull(),
    odd: integer('odd').notNull(),
    state: integer('state').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.hour,
        table.environment,
        table.status,
        table.noop,
        table.noopPending,
        table.type,
        table.odd,
        table.state,
      ],
    }),
  ],
)

/** What follows the first piece of a body that is longer than one row may be. */
export const bodyParts = sqliteTable(
  'body_parts',
  {
    report: integer('report').notNull(),
    part: integer('part').notNull(),
    data: blob('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.report, table.part] })],
)

/** Events, clustered under their report. */
export const events = sqliteTable(
  'events',
  {
    report: integer('report').notNull(),
    n: integer('n').notNull(),
    status: word('status').notNull(),
    subject: integer('subject').notNull(),
    file: word('file'),
    line: integer('line'),
    property: word('property'),
    name: word('name'),
    timestamp: time('timestamp').notNull(),
    correctiveChange: flag('corrective_change'),
    /** JSON text; NULL is JSON's null. */
    oldValue: text('old_value'),
    newValue: text('new_value'),
    message: text('message'),
    /** 1 where a value was too long for the row: its beginning stands here, all of it in `long_values`. */
    long: flag('long'),
  },
  (table) => [primaryKey({ columns: [table.report, table.n] })],
)

/** Values of events that are longer than one row may be, in pieces. */
export const longValues = sqliteTable(
  'long_values',
  {
    report: integer('report').notNull(),
    n: integer('n').notNull(),
    /** Name of the column of `events`. */
    field: text('field').notNull(),
    part: integer('part').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.report, table.n, table.field, table.part] })],
)

/**
 * How far each rule of retention has come: every report whose key is below `cursor` is one that the rule
 * leaves alone, or stands in `spared_reports` or in an hour that is open.
 */
export const sweeps = sqliteTable('sweeps', {
  name: text('name').primaryKey(),
  cursor: integer('cursor').notNull(),
})

/** Reports that a rule passed over because they were their node's latest: looked at again once they are not. */
export const sparedReports = sqliteTable(
  'spared_reports',
  {
    sweep: text('sweep').notNull(),
    report: integer('report').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sweep, table.report] })],
)

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
export const causes = sqliteTable(
  'causes',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    reason: text('reason').notNull(),
    /** Earliest producer timestamp of a report that has it, over all history. */
    first: time('first').notNull(),
  },
  (table) => [
    // Finding the id while a report that has it is stored; a cause by its name.
    uniqueIndex('causes_name').on(table.name),
  ],
)

/** Which reports have which cause: rows only for reports that failed. Clustered by cause, then by time. */
export const reportCauses = sqliteTable(
  'report_causes',
  {
    cause: integer('cause').notNull(),
    report: integer('report').notNull(),
    /** Number of failed events of it; 0 where a log line tells. */
    events: integer('events').notNull(),
    /** Number of the first of them, or of the log line. */
    event: integer('event'),
    log: integer('log'),
    /** What that event is about, and where it stands in the code; of a log line, where that says that it happened. */
    subject: integer('subject'),
    file: word('file'),
    line: integer('line'),
  },
  (table) => [primaryKey({ columns: [table.cause, table.report] })],
)

/** When each version of the code (report/code-version.ts) was first applied in an environment. */
export const codeVersions = sqliteTable(
  'code_versions',
  {
    environment: word('environment').notNull(),
    version: text('version').notNull(),
    first: time('first').notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.version] })],
)

/** Queries that someone saved. */
export const savedQueries = sqliteTable('saved_queries', {
  name: text('name').primaryKey(),
  title: text('title').notNull(),
  query: text('query').notNull(),
  saved: time('saved').notNull(),
})
