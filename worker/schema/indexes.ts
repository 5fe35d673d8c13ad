/**
 * Keys of several columns, by which rows are clustered; and the indexes, each with what pays for it
 * (indexes.test.ts has that with its plan), because on D1 each entry is one more row written.
 * Migrations must say the same (a test compares them). Apart from the tables, as what is deployed has
 * no use for them.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { causes, codeVersions, metricSets, reportCauses, protectedReports } from './side-tables.ts'
import {
  bodyParts,
  events,
  hourCounts,
  longValues,
  nodes,
  reports,
  resources,
  strings,
} from './tables.ts'

/** The columns of each table's key, in their order. */
export const KEYS = new Map<SQLiteTable, readonly SQLiteColumn[]>([
  [
    hourCounts,
    [
      hourCounts.hour,
      hourCounts.environment,
      hourCounts.status,
      hourCounts.noop,
      hourCounts.noopPending,
      hourCounts.type,
      hourCounts.clockFlags,
      hourCounts.state,
    ],
  ],
  [bodyParts, [bodyParts.report, bodyParts.part]],
  [events, [events.report, events.n]],
  [longValues, [longValues.report, longValues.n, longValues.field, longValues.part]],
  [protectedReports, [protectedReports.rule, protectedReports.report]],
  [reportCauses, [reportCauses.cause, reportCauses.report]],
  [codeVersions, [codeVersions.environment, codeVersions.version]],
])

export interface StoredIndex {
  readonly table: SQLiteTable
  readonly name: string
  readonly unique?: true
  /** SQLite appends the key itself. */
  readonly on: readonly (SQLiteColumn | SQL)[]
  /** Which rows have an entry; all where it is missing. */
  readonly where?: SQL
  readonly paidBy: string
}

export const INDEXES: readonly StoredIndex[] = [
  {
    table: strings,
    name: 'strings_value',
    unique: true,
    on: [strings.kind, strings.value],
    paidBy:
      'The ids of strings, while a report is stored; equality on any field of a string; listing environments and producers.',
  },
  {
    table: resources,
    name: 'resources_value',
    unique: true,
    on: [resources.type, resources.title, resources.path],
    paidBy:
      'The id of a resource, while its event is stored; the types that are known. Events find their resources by the id.',
  },
  {
    table: metricSets,
    name: 'metric_sets_names',
    unique: true,
    on: [metricSets.names],
    paidBy: 'The id of a list, while its report is stored.',
  },
  {
    table: nodes,
    name: 'nodes_certname',
    unique: true,
    on: [nodes.certname],
    paidBy: 'Everything by certname.',
  },
  {
    table: nodes,
    name: 'nodes_inactive',
    on: [nodes.id],
    where: sql`${nodes.deactivated} is not null or ${nodes.expired} is not null`,
    paidBy:
      'The implicit filter on active nodes; holds inactive nodes only, so an active one costs no entry.',
  },
  {
    table: reports,
    name: 'reports_hash',
    on: [sql`substr(${reports.hash}, 1, 6)`],
    paidBy:
      '/reports/<hash>/…, and recognising a report that was stored before. The beginning tells them apart (sql/hash.ts), for 14 bytes of each report less.',
  },
  {
    table: reports,
    name: 'reports_node',
    on: [reports.node],
    paidBy: 'Reports of a node, newest first.',
  },
  {
    table: reports,
    name: 'reports_skewed',
    on: [sql`max(${reports.startTime}, ${reports.endTime})`],
    where: sql`${reports.clockFlags} & 1`,
    paidBy:
      'The newest by start_time, counts by it or end_time: the few reports of agents whose clocks stray, last begun or ended first, whichever is later; an ordinary one costs no entry.',
  },
  {
    table: reports,
    name: 'reports_skewed_node',
    on: [reports.node, sql`max(${reports.startTime}, ${reports.endTime})`],
    where: sql`${reports.clockFlags} & 1`,
    paidBy: 'The newest of nodes by start_time or end_time: those of a node.',
  },
  {
    table: reports,
    name: 'reports_late',
    on: [reports.receiveTime],
    where: sql`${reports.clockFlags} & 2`,
    paidBy:
      'The newest by receive_time, counts by it: reports that came late; a punctual one costs no entry.',
  },
  {
    table: reports,
    name: 'reports_late_node',
    on: [reports.node, reports.receiveTime],
    where: sql`${reports.clockFlags} & 2`,
    paidBy: 'The newest of nodes by receive_time: those of a node.',
  },
  {
    table: reports,
    name: 'reports_moved',
    on: [reports.producerTimestamp],
    where: sql`${reports.producerTimestamp} is not null`,
    paidBy:
      "The newest by producer_timestamp and another field: the next to none whose timestamp the key can't hold.",
  },
  {
    table: reports,
    name: 'reports_notable',
    on: [reports.state],
    where: sql`${reports.state} not in (0, 1, 4)`,
    paidBy:
      'Insights and hooks about runs that failed, corrected drift or would change something, newest first; an ordinary one costs no entry.',
  },
  {
    table: reports,
    name: 'reports_end',
    on: [
      reports.endTime,
      reports.status,
      reports.environment,
      reports.noop,
      reports.noopPending,
      reports.type,
      reports.node,
      reports.startTime,
    ],
    paidBy:
      "Lists sorted by end_time (Puppetboard's) or start_time; counts by what hours are not counted by, such as the node, without the rows.",
  },
  {
    table: causes,
    name: 'causes_name',
    unique: true,
    on: [causes.name],
    paidBy:
      'The id, and whether there is one, while a report that has it is stored; a cause by its name.',
  },
]
