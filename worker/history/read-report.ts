/** Reads one report from the history, with its events, logs and metrics: by its node and time, in a few requests. */

import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import type { ReportPlace } from '../store/history-places.ts'
import { filePath, monthPath, type HistoryBucket } from './bucket.ts'
import { RUN_COLUMNS } from './read-node.ts'
import {
  isWithin,
  readRowsOfFiles,
  unreadablePaths,
  type ArchivedRow,
  type FileToRead,
  type RowsWanted,
} from './read-rows.ts'

/** Which report: its time is the producer timestamp, in ms. */
export interface ReportWanted {
  readonly hash: string
  readonly certname: string
  readonly time: number
}

/** The rows of one report. Lists are in the order sent. */
export interface ArchivedReportRows {
  readonly report: ArchivedRow
  /** The node's runs in the same file, itself included, in the order of time: all of the month, or of the day. */
  readonly runs: readonly ArchivedRow[]
  readonly events: readonly ArchivedRow[]
  readonly logs: readonly ArchivedRow[]
  /** None where the report has no metrics. */
  readonly metrics: ArchivedRow | null
  /** The files that were read, and the requests that it took. */
  readonly files: readonly string[]
  readonly reads: number
  readonly unreadable: readonly string[]
}

const MOST_READS = 64
const LONGEST_MS = 5000
/** `reports` has these beside those of runs. */
const OF_REPORT = [
  ...['receive_time', 'producer', 'transaction_uuid', 'catalog_uuid', 'cached_catalog_status'],
  ...['job_id', 'report_format', 'slowest', 'warnings', 'log_count', 'metric_count'],
]
const COLUMNS: Readonly<Record<HistoryTable, readonly string[]>> = {
  reports: [...RUN_COLUMNS, ...OF_REPORT],
  events: [
    ...['number', 'timestamp', 'status', 'resource_type', 'resource_title', 'property', 'name'],
    ...['old_value', 'new_value', 'message', 'file', 'line', 'containment_path'],
    ...['containing_class', 'corrective_change', 'cause'],
  ],
  logs: [
    ...['number', 'level', 'message', 'source', 'tags', 'time', 'time_form', 'file', 'line'],
    ...['entry', 'cause'],
  ],
  metrics: ['metrics', 'entries'],
}

/** @returns null where no file has the report */
export async function readReportRows(
  bucket: HistoryBucket,
  places: readonly ReportPlace[],
  wanted: ReportWanted,
): Promise<ArchivedReportRows | null> {
  const { hash, certname, time } = wanted
  const read = async (table: HistoryTable) => {
    const found = await readRowsOfFiles(bucket, filesOf(table, places), wantedOf(table, wanted), {
      reads: MOST_READS / HISTORY_TABLE_NAMES.length,
      milliseconds: LONGEST_MS,
    })
    return { ...found, rows: found.files.flatMap(({ rows }) => rows) }
  }
  const [reports, events, logs, metrics] = await Promise.all([
    read('reports'),
    read('events'),
    read('logs'),
    read('metrics'),
  ])
  const report = reports.rows.find((row) => row['hash'] === hash)
  if (report === undefined || report['certname'] !== certname) return null
  if (Number(report['producer_timestamp']) !== time) return null
  const all = [reports, events, logs, metrics]
  return {
    report,
    runs: reports.rows.toSorted(byNumber('producer_timestamp')),
    events: events.rows.toSorted(byNumber('number')),
    logs: logs.rows.toSorted(byNumber('number')),
    metrics: metrics.rows[0] ?? null,
    files: all.flatMap(({ files }) =>
      files.flatMap(({ path, rows }) => (rows.length === 0 ? [] : [path])),
    ),
    reads: all.reduce((sum, { reads }) => sum + reads, 0),
    unreadable: all.flatMap(unreadablePaths),
  }
}

const byNumber =
  (column: string) =>
  (one: ArchivedRow, other: ArchivedRow): number =>
    Number(one[column]) - Number(other[column])

function filesOf(table: HistoryTable, places: readonly ReportPlace[]): FileToRead[] {
  return places.flatMap(({ table: ofMonth, day, part, bytes }): FileToRead[] => {
    if (ofMonth === null) return [{ path: filePath(table, day, part), bytes: null }]
    return ofMonth === table ? [{ path: monthPath(table, day, part), bytes }] : []
  })
}

/** Of `reports`, the runs of the node; of the other tables, the rows of the report. */
function wantedOf(table: HistoryTable, { hash, certname, time }: ReportWanted): RowsWanted {
  const isReports = table === 'reports'
  return {
    columns: COLUMNS[table],
    by: [isReports ? 'certname' : 'report'],
    holds: isReports ? (row) => row['certname'] === certname : (row) => row['report'] === hash,
    mayHold: (boundsOf) =>
      isWithin(boundsOf('certname'), certname) &&
      (isReports || isWithin(boundsOf('producer_timestamp'), time)),
  }
}
