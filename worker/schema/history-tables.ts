/**
 * The tables of the history, as Parquet files hold them: names of the v4 API, kinds of values, numbers of columns. A column
 * may be added, never changed or removed, and no number is used twice, so that one query reads files of all versions.
 */

/** Raised with each added column; every file names the version that it was written by. */
export const HISTORY_VERSION = 1

/** Times are UTC; `json` is any JSON value as its text; `numbers` maps names to numbers. */
export type HistoryKind =
  'string' | 'json' | 'integer' | 'boolean' | 'milliseconds' | 'nanoseconds' | 'strings' | 'numbers'

export interface HistoryColumn {
  readonly name: string
  /** Iceberg's field id; a list takes the number behind it too, a map the two behind it. */
  readonly id: number
  readonly kind: HistoryKind
  /** Never null. */
  readonly required: boolean
  readonly about: string
}

const column = (
  id: number,
  name: string,
  kind: HistoryKind,
  about: string,
  required = false,
): HistoryColumn => ({ name, id, kind, required, about })
const required = (id: number, name: string, kind: HistoryKind, about: string): HistoryColumn =>
  column(id, name, kind, about, true)

const REPORTS: readonly HistoryColumn[] = [
  required(1, 'hash', 'string', 'Identity of the report; `report` in the other tables.'),
  required(2, 'certname', 'string', 'Name of the node.'),
  required(3, 'producer_timestamp', 'milliseconds', 'When the sender produced it.'),
  column(4, 'environment', 'string', 'Environment of the run.'),
  column(5, 'status', 'string', '`changed`, `unchanged`, `failed` or none.'),
  column(6, 'noop', 'boolean', 'Whether the whole run was noop.'),
  column(7, 'noop_pending', 'boolean', 'Whether events were only pending.'),
  column(8, 'corrective_change', 'boolean', 'Whether the run corrected drift.'),
  required(9, 'start_time', 'milliseconds', 'Start of the run, by the clock of the agent.'),
  required(10, 'end_time', 'milliseconds', 'End of the run, by the clock of the agent.'),
  required(11, 'receive_time', 'milliseconds', 'When this service received it.'),
  column(12, 'producer', 'string', 'The server that sent it.'),
  required(13, 'configuration_version', 'string', 'Version of the code.'),
  column(14, 'transaction_uuid', 'string', 'Identity of the run.'),
  column(15, 'catalog_uuid', 'string', 'Identity of the catalog.'),
  column(16, 'code_id', 'string', 'Identity of the code.'),
  column(17, 'job_id', 'string', 'The job that started the run.'),
  column(18, 'cached_catalog_status', 'string', 'Whether a cached catalog was used, and why.'),
  required(19, 'agent_version', 'string', 'Version of the agent.'),
  required(20, 'report_format', 'integer', 'Format in which the agent reported.'),
  required(21, 'type', 'string', '`agent` or `plan`.'),
  required(22, 'event_count', 'integer', 'Rows in `events`.'),
  column(23, 'log_count', 'integer', 'Rows in `logs`; null where `logs` was null.'),
  column(24, 'metric_count', 'integer', 'Metrics of the report; null where `metrics` was null.'),
  column(25, 'slowest', 'json', 'The slowest resources: a list of [type, title, milliseconds].'),
  column(26, 'warnings', 'json', 'Sentences about parts of the report that were left out.'),
]

const EVENTS: readonly HistoryColumn[] = [
  required(1, 'report', 'string', 'Hash of the report.'),
  required(2, 'number', 'integer', 'Place among the events of the report, from 0 on.'),
  required(3, 'certname', 'string', 'Name of the node.'),
  required(4, 'producer_timestamp', 'milliseconds', 'Of the report.'),
  column(5, 'environment', 'string', 'Of the report.'),
  required(6, 'resource_type', 'string', 'Type of the resource.'),
  required(7, 'resource_title', 'string', 'Title of the resource.'),
  required(8, 'status', 'string', '`success`, `failure`, `noop` or `skipped`.'),
  required(9, 'timestamp', 'milliseconds', 'When it happened, by the clock of the agent.'),
  column(10, 'property', 'string', 'The property that changed.'),
  column(11, 'name', 'string', 'Name of the event.'),
  column(12, 'old_value', 'json', 'Value before.'),
  column(13, 'new_value', 'json', 'Value that was wanted.'),
  column(14, 'message', 'string', 'What Puppet said.'),
  column(15, 'corrective_change', 'boolean', 'Whether it corrected drift.'),
  column(16, 'file', 'string', 'Manifest of the resource.'),
  column(17, 'line', 'integer', 'Line in the manifest.'),
  column(18, 'containing_class', 'string', 'Class of the resource.'),
  column(19, 'containment_path', 'strings', 'Stage, classes and resources around it.'),
  required(21, 'run_start_time', 'milliseconds', '`start_time` of the report.'),
  required(22, 'run_end_time', 'milliseconds', '`end_time` of the report.'),
  required(23, 'report_receive_time', 'milliseconds', '`receive_time` of the report.'),
  required(24, 'configuration_version', 'string', 'Of the report.'),
]

const LOGS: readonly HistoryColumn[] = [
  required(1, 'report', 'string', 'Hash of the report.'),
  required(2, 'number', 'integer', 'Place among the lines of the report, from 0 on.'),
  required(3, 'certname', 'string', 'Name of the node.'),
  required(4, 'producer_timestamp', 'milliseconds', 'Of the report.'),
  column(5, 'environment', 'string', 'Of the report.'),
  column(6, 'level', 'string', '`notice`, `err` and so on.'),
  column(7, 'message', 'string', 'The text of the line.'),
  column(8, 'source', 'string', 'What wrote it: a resource, or `Puppet`.'),
  column(9, 'tags', 'strings', 'Tags of the line.'),
  column(11, 'time', 'nanoseconds', 'When it was written, by the clock of the agent.'),
  column(
    12,
    'time_form',
    'string',
    'How the agent wrote the time: decimals and zone, as `9+02:00`.',
  ),
  column(13, 'file', 'string', 'Manifest that it is about.'),
  column(14, 'line', 'integer', 'Line in the manifest.'),
  column(15, 'entry', 'json', 'The whole entry where the columns cannot hold it; else null.'),
]

const METRICS: readonly HistoryColumn[] = [
  required(1, 'report', 'string', 'Hash of the report.'),
  required(2, 'certname', 'string', 'Name of the node.'),
  required(3, 'producer_timestamp', 'milliseconds', 'Of the report.'),
  column(4, 'environment', 'string', 'Of the report.'),
  required(5, 'metrics', 'numbers', 'Numbers by `category.name`, as `time.total`.'),
  column(8, 'entries', 'json', 'The whole list where the map cannot hold it; else null.'),
]

/** A row a report, event, log line, and again report. */
export const HISTORY_TABLES = {
  reports: REPORTS,
  events: EVENTS,
  logs: LOGS,
  metrics: METRICS,
} as const
export type HistoryTable = keyof typeof HISTORY_TABLES

export const HISTORY_TABLE_NAMES = Object.keys(HISTORY_TABLES) as readonly HistoryTable[]
