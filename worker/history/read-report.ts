/** Reads one report from the history, with its events, logs and metrics: by its node and time, in a few requests. */

import type { HistoryTable } from '../schema/history-tables.ts'
import { Unavailable } from '../lib/errors.ts'
import { MOST_FILES_OF_REPORT, type ReportPlace } from '../store/history-places.ts'
import { filePath, monthPath, pathOf, readPath, type HistoryBucket } from './bucket.ts'
import type { ArchivedRow } from './group-rows.ts'
import { RUN_COLUMNS } from './read-node.ts'
import { EVENT_COLUMNS } from './read-resource.ts'
import {
  readRowsOfFiles,
  unreadablePaths,
  type FileToRead,
  type RowsOfFiles,
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

/** Of each table: all files that can be named, by a footer and a range each. */
const MOST_READS = 2 * MOST_FILES_OF_REPORT
const LONGEST_MS = 5000
/** `reports` has these beside those of runs. */
const OF_REPORT = [
  ...['receive_time', 'producer', 'transaction_uuid', 'catalog_uuid', 'cached_catalog_status'],
  ...['job_id', 'report_format', 'slowest', 'warnings', 'log_count', 'metric_count'],
]
const COLUMNS: Readonly<Record<HistoryTable, readonly string[]>> = {
  reports: [...RUN_COLUMNS, ...OF_REPORT],
  events: [...EVENT_COLUMNS, 'cause'],
  logs: [
    ...['number', 'level', 'message', 'source', 'tags', 'time', 'time_form', 'file', 'line'],
    ...['entry', 'cause'],
  ],
  metrics: ['metrics', 'entries'],
}

/**
 * @returns null where no file has the report
 * @throws Unavailable where a file that may have it can't be read
 */
export async function readReportRows(
  bucket: HistoryBucket,
  places: readonly ReportPlace[],
  wanted: ReportWanted,
): Promise<ArchivedReportRows | null> {
  const { hash, certname, time } = wanted
  const read = async (table: HistoryTable) => {
    const files = filesOf(table, places)
    const found = await readRowsOfFiles(
      bucket,
      files.slice(0, MOST_FILES_OF_REPORT),
      wantedOf(table, wanted),
      {
        reads: MOST_READS,
        milliseconds: LONGEST_MS,
      },
    )
    return {
      ...found,
      rows: found.files.flatMap(({ rows }) => rows),
      // Those that there was no time for, or that are too many, are missing, too.
      unreadable: [
        ...unreadablePaths(found),
        ...files.slice(found.files.length).map(({ path }) => path),
      ],
    }
  }
  const [reports, events, logs, metrics] = await Promise.all([
    read('reports'),
    read('events'),
    read('logs'),
    read('metrics'),
  ])
  const report = reports.rows.find((row) => row['hash'] === hash)
  if (report === undefined && reports.unreadable.length > 0)
    throw new Unavailable(
      `The history can't be searched for report ${hash}: ${reports.unreadable.join(', ')} can't be read. The log of the service says why.`,
    )
  if (report === undefined || report['certname'] !== certname) return null
  if (Number(report['producer_timestamp']) !== time) return null
  const all = [reports, events, logs, metrics]
  const missing = missingFiles(hash, report, reports, { events, logs, metrics })
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
    unreadable: [...all.flatMap(({ unreadable }) => unreadable), ...missing],
  }
}

/** The columns of `reports` that say whether the report has rows in another table. */
const COUNTED_BY = { events: 'event_count', logs: 'log_count', metrics: 'metric_count' } as const

/** The files of the report's part that aren't there, although the report has rows in them. */
function missingFiles(
  hash: string,
  report: ArchivedRow,
  reports: RowsOfFiles,
  others: Readonly<Record<keyof typeof COUNTED_BY, RowsOfFiles>>,
): string[] {
  const file = reports.files.find(({ rows }) => rows.some((row) => row['hash'] === hash))
  const commit = file && readPath(file.path)
  return (file?.tables ?? []).flatMap((table) => {
    if (table === 'reports' || !(Number(report[COUNTED_BY[table]] ?? 0) > 0)) return []
    const path = pathOf({ ...commit!, table })
    return others[table].files.some((one) => one.path === path && one.isAbsent) ? [path] : []
  })
}

const byNumber =
  (column: string) =>
  (one: ArchivedRow, other: ArchivedRow): number =>
    Number(one[column]) - Number(other[column])

function filesOf(table: HistoryTable, places: readonly ReportPlace[]): FileToRead[] {
  return places.flatMap(({ table: ofMonth, day, part, bytes }): FileToRead[] => {
    if (ofMonth === null)
      return [{ path: filePath(table, day, part), bytes: null, isOptional: table !== 'reports' }]
    return ofMonth === table ? [{ path: monthPath(table, day, part), bytes }] : []
  })
}

/** Of `reports`, the runs of the node; of the other tables, the rows of the report. */
const wantedOf = (table: HistoryTable, { hash, certname, time }: ReportWanted): RowsWanted => ({
  columns: COLUMNS[table],
  ...(table === 'reports'
    ? { by: { certname } }
    : { by: { report: hash }, near: { certname, producer_timestamp: time } }),
})
