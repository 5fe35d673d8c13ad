/**
 * The tables of the history, as Parquet files hold them: names of the v4 API, kinds of values, ids of columns. A column
 * may be added, never changed or removed, and no id is used twice, so that one query reads files of all versions.
 * Fields that senders send have their ids in report-fields.ts and event-fields.ts; `migrations/history.txt` lists all.
 */

import { eventFields } from './event-fields.ts'
import { reportFields } from './report-fields.ts'
import type { HistoryField, SentKind, StoredField } from './stored-field.ts'

/** Times are UTC; `json` is any JSON value as its text; `numbers` maps names to numbers. */
export type HistoryKind =
  | 'string'
  | 'json'
  | 'integer'
  | 'boolean'
  | 'milliseconds'
  | 'nanoseconds'
  | 'strings'
  | 'numbers'

export interface HistoryColumn {
  readonly name: string
  /** Iceberg's field id; a list takes the next number too, a map the next two. */
  readonly id: number
  readonly kind: HistoryKind
  /** Never null. */
  readonly required: boolean
}

/** A row per report, event, log line, and again report. */
export type HistoryTable = 'reports' | 'events' | 'logs' | 'metrics'

const column = (id: number, name: string, kind: HistoryKind, required = false): HistoryColumn => ({
  name,
  id,
  kind,
  required,
})
const required = (id: number, name: string, kind: HistoryKind): HistoryColumn =>
  column(id, name, kind, true)

/** The greatest id that the first version used in each table. Its files lack every column with a greater one. */
export const FIRST_VERSION: Readonly<Record<HistoryTable, number>> = {
  reports: 26,
  events: 24,
  logs: 15,
  metrics: 8,
}

const KINDS: Readonly<Record<SentKind, HistoryKind>> = {
  string: 'string',
  number: 'integer',
  boolean: 'boolean',
  timestamp: 'milliseconds',
}

/** The column of a field that senders send. One that was added later is null in older files, and so is never required. */
const sentColumn = (
  table: HistoryTable,
  { kind, nullable }: StoredField,
  { name, inHistory }: HistoryField & { readonly name: string },
): HistoryColumn => {
  const isRequired = !nullable && inHistory <= FIRST_VERSION[table] && !OPTIONAL.has(name)
  return column(inHistory, name, KINDS[kind], isRequired)
}
/** Columns that the first version wrote as optional, although senders must send their fields. */
const OPTIONAL: ReadonlySet<string> = new Set(['environment'])

const byId = (columns: readonly HistoryColumn[]): readonly HistoryColumn[] =>
  columns.toSorted((one, other) => one.id - other.id)

const REPORTS = byId([
  ...reportFields.map(([, field]) => sentColumn('reports', field, field)),
  required(1, 'hash', 'string'),
  required(2, 'certname', 'string'),
  required(11, 'receive_time', 'milliseconds'),
  // Rows in `events`, in `logs` and metrics in `metrics`; null where the report had null for the list.
  required(22, 'event_count', 'integer'),
  column(23, 'log_count', 'integer'),
  column(24, 'metric_count', 'integer'),
  // A list of [type, title, milliseconds].
  column(25, 'slowest', 'json'),
  // Sentences about parts of the report that were left out.
  column(26, 'warnings', 'json'),
  // A name of schema/states.ts.
  column(27, 'state', 'string'),
  // Ids of causes, as `/insight/v1/causes/<id>` takes them; the list is empty for a run that did not fail.
  column(28, 'causes', 'strings'),
])

const EVENTS = byId([
  ...eventFields.map(([, field]) => sentColumn('events', field, field)),
  ...reportFields.flatMap(([, field]) =>
    field.inEvents === undefined ? [] : [sentColumn('events', field, field.inEvents)],
  ),
  // The report's hash, and the place among its events, from 0 on.
  required(1, 'report', 'string'),
  required(2, 'number', 'integer'),
  required(3, 'certname', 'string'),
  required(4, 'producer_timestamp', 'milliseconds'),
  required(6, 'resource_type', 'string'),
  required(7, 'resource_title', 'string'),
  column(12, 'old_value', 'json'),
  column(13, 'new_value', 'json'),
  column(14, 'message', 'string'),
  column(18, 'containing_class', 'string'),
  column(19, 'containment_path', 'strings'),
  required(23, 'report_receive_time', 'milliseconds'),
  // Of a failed event: one of its report's causes.
  column(25, 'cause', 'string'),
])

const LOGS: readonly HistoryColumn[] = [
  required(1, 'report', 'string'),
  required(2, 'number', 'integer'),
  required(3, 'certname', 'string'),
  required(4, 'producer_timestamp', 'milliseconds'),
  column(5, 'environment', 'string'),
  column(6, 'level', 'string'),
  column(7, 'message', 'string'),
  column(8, 'source', 'string'),
  column(9, 'tags', 'strings'),
  column(11, 'time', 'nanoseconds'),
  // How the agent wrote the time: decimals and zone, as `9+02:00`.
  column(12, 'time_form', 'string'),
  column(13, 'file', 'string'),
  column(14, 'line', 'integer'),
  // The whole entry where the columns cannot hold it; else null.
  column(15, 'entry', 'json'),
  // Of the line by which a run without failed events got its cause.
  column(16, 'cause', 'string'),
]

const METRICS: readonly HistoryColumn[] = [
  required(1, 'report', 'string'),
  required(2, 'certname', 'string'),
  required(3, 'producer_timestamp', 'milliseconds'),
  column(4, 'environment', 'string'),
  // Numbers by `category.name`, as `time.total`.
  required(5, 'metrics', 'numbers'),
  // The whole list where the map cannot hold it; else null.
  column(8, 'entries', 'json'),
]

export const HISTORY_TABLES: Readonly<Record<HistoryTable, readonly HistoryColumn[]>> = {
  reports: REPORTS,
  events: EVENTS,
  logs: LOGS,
  metrics: METRICS,
}

export const HISTORY_TABLE_NAMES = Object.keys(HISTORY_TABLES) as readonly HistoryTable[]

/** The version that a file names: 1, and one more with each column that was added since. */
export const HISTORY_VERSION =
  1 +
  HISTORY_TABLE_NAMES.flatMap((table) =>
    HISTORY_TABLES[table].filter(({ id }) => id > FIRST_VERSION[table]),
  ).length
