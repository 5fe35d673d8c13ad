/** Rows of the history → the report as the query API answers it. */

import { metricsText } from '../../worker/report/body-metrics.ts'
import { formatTimestamp } from '../../worker/lib/time.ts'
import { HISTORY_TABLES, type HistoryTable } from '../../worker/schema/history-tables.ts'
import { reportFields } from '../../worker/schema/report-fields.ts'
import { logText, type LogColumns } from '../../worker/history/log-rows.ts'

type MapEntries = readonly { readonly key: string; readonly value: number }[]

/** A row of a table by name; times are numbers of ms, those of logs bigints of ns. */
export type ReadRow = Readonly<Record<string, unknown>>

/** The rows of one report. Lists are in any order. */
export interface HistoryReport {
  readonly report: ReadRow
  readonly events: readonly ReadRow[]
  readonly logs: readonly ReadRow[]
  readonly metrics: ReadRow | null
}

/** Columns that the API does not have. */
const BEYOND_API = new Set([
  ...['event_count', 'log_count', 'metric_count', 'slowest', 'warnings', 'state', 'causes'],
])
/** Columns of events that repeat a value of their report. */
const OF_REPORT = new Set([
  ...['report', 'number', 'certname', 'producer_timestamp', 'report_receive_time', 'cause'],
  ...reportFields.flatMap(([, { inEvents }]) => (inEvents === undefined ? [] : [inEvents.name])),
])

/**
 * The report as a row of `/query/v4/reports`: JSON text, with its lists whole.
 *
 * @param names other names of fields, as `/pdb/query/v4/reports` has them
 */
export function apiReport(
  { report, events, logs, metrics }: HistoryReport,
  names: Readonly<Record<string, string>> = {},
): string {
  const fields = fieldTexts('reports', report, BEYOND_API, names)
  const part = (data: string): string => `{"data":${data}}`
  const inOrder = (rows: readonly ReadRow[]): ReadRow[] =>
    rows.toSorted((one, other) => Number(one['number']) - Number(other['number']))
  const eventTexts = inOrder(events).map(
    (event) => `{${fieldTexts('events', event, OF_REPORT).join(',')}}`,
  )
  const logTexts = inOrder(logs).map((log) => logText(columnsOf(log)))
  const lists = [
    `"resource_events":${part(eventTexts.length === 0 ? 'null' : `[${eventTexts.join(',')}]`)}`,
    `"logs":${part(report['log_count'] === null ? 'null' : `[${logTexts.join(',')}]`)}`,
    `"metrics":${part(metricsOf(report, metrics))}`,
  ]
  return `{${[...fields, ...lists].join(',')}}`
}

function metricsOf(report: ReadRow, row: ReadRow | null): string {
  if (report['metric_count'] === null) return 'null'
  if (row === null) return '[]'
  return typeof row['entries'] === 'string'
    ? row['entries']
    : metricsText(entriesOf(row['metrics'] as Readonly<Record<string, number>> | MapEntries))
}

const entriesOf = (map: Readonly<Record<string, number>> | MapEntries): MapEntries =>
  Array.isArray(map)
    ? (map as MapEntries)
    : Object.entries(map as Readonly<Record<string, number>>).map(([key, value]) => ({
        key,
        value,
      }))

/** A list of tags may be empty, which readers give as null or as a list. */
const columnsOf = (log: ReadRow): LogColumns => ({
  ...(log as unknown as LogColumns),
  tags: (log['tags'] as readonly string[] | null) ?? [],
  line: log['line'] === null ? null : Number(log['line']),
})

/** `"name":value` of each column. */
function fieldTexts(
  table: HistoryTable,
  row: ReadRow,
  without: ReadonlySet<string>,
  names: Readonly<Record<string, string>> = {},
): string[] {
  return HISTORY_TABLES[table].flatMap(({ name, kind }) => {
    if (without.has(name)) return []
    const value = row[name] ?? null
    return [`"${names[name] ?? name}":${value === null ? 'null' : textOf(kind, value)}`]
  })
}

function textOf(kind: string, value: unknown): string {
  switch (kind) {
    case 'json':
      return String(value)
    case 'integer':
      return String(value)
    case 'milliseconds':
      return JSON.stringify(formatTimestamp(Number(value)))
    default:
      return JSON.stringify(value)
  }
}
