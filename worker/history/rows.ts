/** A whole report → its rows in the tables of the history. */

import type { Json } from '../lib/json.ts'
import { parseJson } from '../lib/lossless.ts'
import { HISTORY_TABLES, type HistoryTable } from '../schema/history-tables.ts'
import { logColumns } from './log-rows.ts'
import type { HistoryRow, HistoryValue } from './parquet.ts'
import type { WholeReport } from './read-reports.ts'

/** The rows of one report. */
export type ReportRows = Readonly<Record<HistoryTable, readonly HistoryRow[]>>

type Values = Readonly<Record<string, HistoryValue | undefined>>

/** The values of a row in the order of the table's columns; a missing one is null. */
const rowOf = (table: HistoryTable, values: Values): HistoryRow =>
  HISTORY_TABLES[table].map(({ name }) => values[name] ?? null)

/** The rows of a report. */
export function rowsOf({ values, events, logs, metrics }: WholeReport): ReportRows {
  const entries = parseJson(logs) as readonly Json[] | null
  const { hash, certname, producer_timestamp, environment } = values
  const shared = { report: hash, certname, producer_timestamp, environment }
  const run = {
    run_start_time: values['start_time'],
    run_end_time: values['end_time'],
    report_receive_time: values['receive_time'],
    configuration_version: values['configuration_version'],
  }
  return {
    reports: [
      rowOf('reports', {
        ...values,
        log_count: entries?.length ?? null,
        metric_count: metrics?.count ?? null,
      }),
    ],
    events: events.map(({ containment_path: path, ...event }) =>
      rowOf('events', { ...shared, ...run, ...event, containment_path: pathOf(path) }),
    ),
    logs: (entries ?? []).map((log, number) =>
      rowOf('logs', { ...shared, number, ...logColumns(log) }),
    ),
    metrics:
      metrics === null || metrics.count === 0
        ? []
        : [rowOf('metrics', { ...shared, metrics: metrics.numbers, entries: metrics.entries })],
  }
}

const pathOf = (text: HistoryValue | undefined): readonly string[] | null =>
  typeof text === 'string' && text !== '' ? (JSON.parse(text) as string[]) : null

const EVENT_COLUMNS = HISTORY_TABLES.events.map(({ name }) => name)
const EVENT_ORDER = ['resource_type', 'resource_title', 'certname', 'timestamp'].map((name) =>
  EVENT_COLUMNS.indexOf(name),
)

/** Compares rows of `events`: those of a resource stand together, so that its changes are found in a few pages. */
export function compareEvents(one: HistoryRow, other: HistoryRow): number {
  for (const place of EVENT_ORDER) {
    const [a, b] = [one[place] as string, other[place] as string]
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}
