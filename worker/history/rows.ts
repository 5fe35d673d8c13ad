/** A whole report → its rows in the tables of the history. */

import type { Json } from '../lib/json.ts'
import { parseJson } from '../lib/lossless.ts'
import { HISTORY_TABLES, type HistoryTable } from '../schema/history-tables.ts'
import { reportFields } from '../schema/report-fields.ts'
import { logColumns } from './log-rows.ts'
import type { HistoryRow, HistoryValue } from './parquet-columns.ts'
import type { RunCauses, WholeReport } from './read-reports.ts'

/** The rows of one report. */
export type ReportRows = Readonly<Record<HistoryTable, readonly HistoryRow[]>>

type Values = Readonly<Record<string, HistoryValue | undefined>>

const namesOf = (table: HistoryTable): readonly string[] =>
  HISTORY_TABLES[table].map(({ name }) => name)
const NAMES: Readonly<Record<HistoryTable, readonly string[]>> = {
  reports: namesOf('reports'),
  events: namesOf('events'),
  logs: namesOf('logs'),
  metrics: namesOf('metrics'),
}

/** The values of a row in the order of the table's columns, its own before those of its report; a missing one is null. */
const rowOf = (table: HistoryTable, own: Values, shared: Values): HistoryRow =>
  NAMES[table].map((name) => own[name] ?? shared[name] ?? null)

/** The rows of a report. */
export function rowsOf({ values, events, logs, metrics, causes }: WholeReport): ReportRows {
  const entries = parseJson(logs) as readonly Json[] | null
  const shared: Values = {
    report: values['hash'],
    certname: values['certname'],
    producer_timestamp: values['producer_timestamp'],
    environment: values['environment'],
  }
  const more = {
    log_count: entries?.length ?? null,
    metric_count: metrics?.count ?? null,
    causes: causes.names,
  }
  return {
    reports: [rowOf('reports', more, values)],
    events: events.length === 0 ? [] : eventRows(events, causes, { ...shared, ...runOf(values) }),
    logs: (entries ?? []).map((log, number) =>
      rowOf('logs', { ...logColumns(log), number, cause: causes.ofLog.get(number) }, shared),
    ),
    metrics:
      metrics === null || metrics.count === 0
        ? []
        : [rowOf('metrics', { metrics: metrics.numbers, entries: metrics.entries }, shared)],
  }
}

const SHOWN_BY_EVENTS = reportFields.flatMap(([, { name, inEvents }]) =>
  inEvents === undefined ? [] : [[inEvents.name, name] as const],
)

/** The columns of events with values of their report's run. */
const runOf = (values: Values): Values => ({
  ...Object.fromEntries(SHOWN_BY_EVENTS.map(([column, name]) => [column, values[name]])),
  report_receive_time: values['receive_time'],
})

const eventRows = (
  events: WholeReport['events'],
  { ofEvent }: RunCauses,
  shared: Values,
): HistoryRow[] =>
  events.map((event) => {
    const [path, cause] = [pathOf(event['containment_path']), ofEvent.get(Number(event['number']))]
    return rowOf('events', { ...event, containment_path: path, cause }, shared)
  })

const pathOf = (text: HistoryValue | undefined): readonly string[] | null =>
  typeof text === 'string' && text !== '' ? (JSON.parse(text) as string[]) : null

const EVENT_ORDER = ['resource_type', 'resource_title', 'certname', 'timestamp'].map((name) =>
  NAMES.events.indexOf(name),
)

/** Compares rows of `events`: those of a resource stand together, so that its changes are found in a few pages. */
export function compareEvents(one: HistoryRow, other: HistoryRow): number {
  for (const place of EVENT_ORDER) {
    const [a, b] = [one[place] as string, other[place] as string]
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}
