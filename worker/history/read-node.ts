/** Reads the runs of one node from files of `reports`: a day's file whole, of a month's file the row groups that can hold the node. */

import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects, type FileMetaData, type RowGroup } from 'hyparquet'
import { HISTORY_TABLES } from '../schema/history-tables.ts'
import type { ReportsFile } from '../store/history-places.ts'
import { log } from '../lib/log.ts'
import type { HistoryBucket } from './bucket.ts'
import { reportsPath } from './find-report.ts'
import { rangeOf, readFooter, readRange } from './month-file.ts'

/** Columns of `reports` that runs have. */
const COLUMNS = [
  ...['hash', 'certname', 'producer_timestamp', 'environment', 'status', 'noop', 'noop_pending'],
  ...['corrective_change', 'start_time', 'end_time', 'configuration_version', 'event_count'],
  ...['state', 'causes', 'agent_version', 'code_id', 'type'],
] as const
const CERTNAME = HISTORY_TABLES.reports.findIndex(({ name }) => name === 'certname')

/** Values by column; times as numbers of ms. */
export type ArchivedRun = Readonly<Record<string, unknown>>

/** The runs of a node in a file, and how many requests it took to read them. */
export interface RunsOfFile {
  readonly path: string
  readonly runs: readonly ArchivedRun[]
  readonly reads: number
  /** It is damaged, or object storage did not answer. */
  readonly isUnreadable?: true
}

/** Requests that a Worker has open at a time. */
const AT_ONCE = 6

/** Bounds of a reading: a further file is begun until then. */
export interface ReadingBounds {
  readonly reads: number
  readonly milliseconds: number
}

/** The files that were read, the first of those that were asked for. */
export interface RunsOfFiles {
  readonly files: readonly RunsOfFile[]
  readonly reads: number
}

/** The runs of a node in files, of as many as the bounds allow, and of one at least; of none without a bucket. */
export async function readRunsOfFiles(
  bucket: HistoryBucket | undefined,
  files: readonly ReportsFile[],
  certname: string,
  { reads: mostReads, milliseconds }: ReadingBounds,
): Promise<RunsOfFiles> {
  const until = Date.now() + milliseconds
  const found: RunsOfFile[] = []
  if (bucket === undefined) return { files: found, reads: 0 }
  let [next, expected] = [0, 0]
  const begin = (): number | null => {
    const file = files[next]
    if (file === undefined) return null
    const reads = expected + (file.isDay ? 1 : READS_OF_MONTH)
    if (next > 0 && (reads > mostReads || Date.now() >= until)) return null
    expected = reads
    return next++
  }
  const read = async (): Promise<void> => {
    for (let place = begin(); place !== null; place = begin())
      found[place] = await readOrName(bucket, files[place]!, certname)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, read))
  return { files: found, reads: found.reduce((sum, { reads }) => sum + reads, 0) }
}

/** The paths of the files that were not readable. */
export const unreadablePaths = ({ files }: RunsOfFiles): string[] =>
  files.flatMap(({ path, isUnreadable }) => (isUnreadable ? [path] : []))

/** The footer, and the row groups. */
const READS_OF_MONTH = 2

/** One damaged file does not take a node's other years from a reader. */
async function readOrName(
  bucket: HistoryBucket,
  file: ReportsFile,
  certname: string,
): Promise<RunsOfFile> {
  try {
    return await readRuns(bucket, file, certname)
  } catch (error) {
    const path = reportsPath(file)
    log('error', { history: 'not read', file: path, error: (error as Error).message })
    return { path, runs: [], reads: 1, isUnreadable: true }
  }
}

/** The runs of a node in a file, in the order of time; none where the file is there no more. */
const readRuns = (
  bucket: HistoryBucket,
  file: ReportsFile,
  certname: string,
): Promise<RunsOfFile> =>
  file.isDay ? readDay(bucket, file, certname) : readMonth(bucket, file, certname)

/**
 * Fetching a file of a megabyte once is faster than its footer, and then ranges of it, one after the other: object storage
 * answers in tens of milliseconds.
 */
async function readDay(
  bucket: HistoryBucket,
  file: ReportsFile,
  certname: string,
): Promise<RunsOfFile> {
  const path = reportsPath(file)
  const object = await bucket.get(path)
  if (object === null) return { path, runs: [], reads: 1 }
  const bytes = new Uint8Array(await object.arrayBuffer())
  const metadata = parquetMetadata(bytes)
  const groups = metadata.row_groups.filter((group) => mayHold(group, certname))
  const runs: ArchivedRun[] = []
  for (const group of groups) runs.push(...(await runsOf(metadata, group, bytes, 0, certname)))
  return { path, runs, reads: 1 }
}

/** The groups that can hold a node are side by side. */
async function readMonth(
  bucket: HistoryBucket,
  file: ReportsFile,
  certname: string,
): Promise<RunsOfFile> {
  const path = reportsPath(file)
  const metadata = await readFooter(bucket, path, file.bytes)
  const groups = metadata?.row_groups.filter((group) => mayHold(group, certname)) ?? []
  if (metadata === null || groups.length === 0) return { path, runs: [], reads: 1 }
  const start = rangeOf(groups[0]!)[0]
  const bytes = await readRange(bucket, path, start, rangeOf(groups.at(-1)!)[1])
  if (bytes === null) return { path, runs: [], reads: 2 }
  const runs: ArchivedRun[] = []
  for (const group of groups) runs.push(...(await runsOf(metadata, group, bytes, start, certname)))
  return { path, runs, reads: 2 }
}

/** The node's runs in a row group. @param start the place in the file of the first of the bytes */
async function runsOf(
  metadata: FileMetaData,
  group: RowGroup,
  bytes: Uint8Array,
  start: number,
  certname: string,
): Promise<ArchivedRun[]> {
  const rows = await parquetReadObjects({
    file: {
      byteLength: start + bytes.length,
      slice: (from, to = start + bytes.length) => bytes.slice(from - start, to - start).buffer,
    },
    metadata: { ...metadata, row_groups: [group], num_rows: group.num_rows },
    columns: COLUMNS.filter((name) => metadata.schema.some((element) => element.name === name)),
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    parsers: { timestampFromMilliseconds: Number },
  })
  return rows.filter((row) => row['certname'] === certname)
}

/** By the least and greatest certname of the group, which may be cut, and then are below and above it. */
function mayHold({ columns }: RowGroup, certname: string): boolean {
  const { min_value: least, max_value: most } = columns[CERTNAME]!.meta_data?.statistics ?? {}
  return (
    typeof least !== 'string' || typeof most !== 'string' || (least <= certname && certname <= most)
  )
}
