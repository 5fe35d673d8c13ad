/**
 * Reads rows of the history's files for pages: a file whole, or of a month's file the row groups that can hold the rows. A
 * reading is bounded by requests and time, and says which files it read.
 */

import { gunzipSync } from 'node:zlib'
import { parquetReadObjects, type FileMetaData, type RowGroup } from 'hyparquet'
import { log } from '../lib/log.ts'
import type { HistoryTable } from '../schema/history-tables.ts'
import type { HistoryBucket } from './bucket.ts'
import { readFooter, readGroups, type FileRange } from './month-file.ts'
import { DamagedPart, openFileIfThere } from './open-file.ts'

/** Values by column: times as numbers of ms, those of logs as bigints of ns. */
export type ArchivedRow = Readonly<Record<string, unknown>>

/** A file, with its bytes where it is read by ranges. Null where it is read whole: a megabyte comes faster than a footer and a range after it. */
export interface FileToRead {
  readonly path: string
  readonly bytes: number | null
  /** Whether it is there only if it has rows. */
  readonly isOptional?: boolean
}

/** Which rows are read of a file. */
export interface RowsWanted {
  readonly columns: readonly string[]
  /** The columns that say whether a row is one. They are read first, and the others only between the first and the last such row. */
  readonly by: readonly string[]
  readonly holds: (row: ArchivedRow) => boolean
  /** Columns that only the first rows of a file have, in this order: packed texts cost most of the time. */
  readonly further?: {
    readonly columns: readonly string[]
    readonly most: number
    readonly order: (one: ArchivedRow, other: ArchivedRow) => number
  }
  /** Whether a row that is read is given. */
  readonly shows?: (row: ArchivedRow) => boolean
  /** Rows from which on no further file is begun. Of a file with more, none are given. */
  readonly most?: number
  /** Whether a row group can have such rows, by the least and the greatest value of a column. */
  readonly mayHold?: (boundsOf: BoundsOf) => boolean
}

type Bounds = readonly [least: unknown, greatest: unknown]
/** Undefined where statistics lack them. Long texts are cut, and then are below the least and above the greatest. */
export type BoundsOf = (column: string) => Bounds

/** Whether a value can be between these bounds. */
export const isWithin = ([least, greatest]: Bounds, value: string | number): boolean =>
  least === undefined ||
  greatest === undefined ||
  (typeof value === 'string'
    ? String(least) <= value && value <= String(greatest)
    : Number(least) <= value && value <= Number(greatest))

/** The rows of a file, and how many requests it took to read them. */
export interface RowsOfFile {
  readonly path: string
  readonly rows: readonly ArchivedRow[]
  readonly reads: number
  /** It is missing or damaged, or object storage did not answer. */
  readonly isUnreadable?: true
  /** It isn't there, and need not be. */
  readonly isAbsent?: true
  /** Of a day's `reports`, the tables that its part was written with; null in files of release 0.2 and earlier. */
  readonly tables?: readonly HistoryTable[] | null
  /** It has too many rows. */
  readonly isFull?: true
  /** An earlier release wrote it, without the columns that say which rows are wanted. */
  readonly isOlder?: true
}

/** Requests that a Worker has open at a time. */
const AT_ONCE = 6

/** Bounds of a reading: a further file is begun until then. */
export interface ReadingBounds {
  readonly reads: number
  readonly milliseconds: number
  /** Files that are read at a time, if fewer. */
  readonly atOnce?: number
}

/** The files that were read, the first of those that were asked for. */
export interface RowsOfFiles {
  readonly files: readonly RowsOfFile[]
  readonly reads: number
}

/** The rows in files, of as many as the bounds allow, and of one at least; of none without a bucket. */
export async function readRowsOfFiles(
  bucket: HistoryBucket | undefined,
  files: readonly FileToRead[],
  wanted: RowsWanted,
  { reads: mostReads, milliseconds, atOnce = AT_ONCE }: ReadingBounds,
): Promise<RowsOfFiles> {
  const until = Date.now() + milliseconds
  const found: RowsOfFile[] = []
  if (bucket === undefined) return { files: found, reads: 0 }
  let [next, expected, rows] = [0, 0, 0]
  const begin = (): number | null => {
    const file = files[next]
    if (file === undefined) return null
    const reads = expected + (file.bytes === null ? 1 : READS_BY_RANGE)
    const isEnd = reads > mostReads || Date.now() >= until || rows >= (wanted.most ?? Infinity)
    if (next > 0 && isEnd) return null
    expected = reads
    return next++
  }
  const read = async (): Promise<void> => {
    for (let place = begin(); place !== null; place = begin()) {
      const one = await readOrName(bucket, files[place]!, wanted)
      found[place] = one
      rows += one.rows.length
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, atOnce) }, read))
  return { files: found, reads: found.reduce((sum, { reads }) => sum + reads, 0) }
}

/** The paths of the files that were not readable. */
export const unreadablePaths = ({ files }: RowsOfFiles): string[] =>
  files.flatMap(({ path, isUnreadable }) => (isUnreadable ? [path] : []))

/** The footer, and the row groups. */
const READS_BY_RANGE = 2

/** One damaged file does not take the others from a reader. */
async function readOrName(
  bucket: HistoryBucket,
  file: FileToRead,
  wanted: RowsWanted,
): Promise<RowsOfFile> {
  try {
    const found = await (file.bytes === null
      ? readWhole(bucket, file.path, wanted)
      : readByRange(bucket, file.path, file.bytes, wanted))
    if (found !== null) return found
    if (file.isOptional) return { path: file.path, rows: [], reads: 1, isAbsent: true }
    throw new DamagedPart(file.path, '', 'missing')
  } catch (error) {
    log('error', { history: 'not read', file: file.path, error: (error as Error).message })
    return { path: file.path, rows: [], reads: 1, isUnreadable: true }
  }
}

async function readWhole(
  bucket: HistoryBucket,
  path: string,
  wanted: RowsWanted,
): Promise<RowsOfFile | null> {
  const file = await openFileIfThere(bucket, path)
  if (file === null) return null
  const { metadata, bytes, tables } = file
  const source = { metadata, bytes, start: 0 }
  const found = await rowsOf(source, groupsOf(metadata, wanted), wanted)
  return { path, reads: 1, tables, ...found }
}

async function readByRange(
  bucket: HistoryBucket,
  path: string,
  size: number,
  wanted: RowsWanted,
): Promise<RowsOfFile | null> {
  const metadata = await readFooter(bucket, path, size)
  if (metadata === null) return null
  const groups = groupsOf(metadata, wanted)
  if (groups.length === 0) return { path, rows: [], reads: 1 }
  // The groups that can hold rows are side by side: those between them are read too, and passed over.
  const [first, last] = [groups[0]!, groups.at(-1)!].map((one) => metadata.row_groups.indexOf(one))
  const range = await readGroups(
    bucket,
    path,
    metadata,
    metadata.row_groups.slice(first, last! + 1),
  )
  if (range === null) return null
  return { path, reads: 2, ...(await rowsOf({ metadata, ...range }, groups, wanted)) }
}

const groupsOf = (
  { row_groups: groups }: FileMetaData,
  { mayHold = () => true }: RowsWanted,
): RowGroup[] => groups.filter((group) => mayHold(boundsOf(group)))

const boundsOf =
  ({ columns }: RowGroup): BoundsOf =>
  (name) => {
    const chunk = columns.find(({ meta_data: meta }) => meta!.path_in_schema[0] === name)
    const { min_value: least, max_value: greatest } = chunk?.meta_data?.statistics ?? {}
    return [least, greatest]
  }

interface Source extends FileRange {
  readonly metadata: FileMetaData
}

async function rowsOf(
  source: Source,
  groups: readonly RowGroup[],
  { columns, by, further, holds, shows = () => true, most = Infinity }: RowsWanted,
): Promise<Pick<RowsOfFile, 'rows' | 'isOlder' | 'isFull'>> {
  const present = new Set(source.metadata.schema.map(({ name }) => name))
  if (!by.every((name) => present.has(name))) return { rows: [], isOlder: true }
  const found: { row: ArchivedRow; readonly group: RowGroup; readonly place: number }[] = []
  const read = (
    group: RowGroup,
    names: readonly string[],
    rowStart = 0,
    rowEnd = Number(group.num_rows),
  ) => {
    const wanted = names.filter((name) => present.has(name))
    return readGroup(source, group, { columns: wanted, rowStart, rowEnd })
  }
  for (const group of groups) {
    const keys = await read(group, by)
    const first = keys.findIndex(holds)
    if (first < 0) continue
    const between = await read(group, columns, first, keys.findLastIndex(holds) + 1)
    for (const [index, row] of between.entries())
      if (holds(keys[first + index]!) && shows(row))
        found.push({ row, group, place: first + index })
    if (found.length > most) return { rows: [], isFull: true }
  }
  if (further !== undefined) {
    const firstOnes = found
      .toSorted((one, other) => further.order(one.row, other.row))
      .slice(0, further.most)
    for (const group of groups) {
      const some = firstOnes.filter((one) => one.group === group)
      if (some.length === 0) continue
      const places = some.map(({ place }) => place)
      const first = Math.min(...places)
      const more = await read(group, further.columns, first, Math.max(...places) + 1)
      for (const one of some) one.row = { ...one.row, ...more[one.place - first] }
    }
  }
  return { rows: found.map(({ row }) => row) }
}

const readGroup = (
  { metadata, bytes, start }: Source,
  group: RowGroup,
  part: { readonly columns: string[]; readonly rowStart: number; readonly rowEnd: number },
): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: {
      byteLength: start + bytes.length,
      slice: (from, to = start + bytes.length) => bytes.slice(from - start, to - start).buffer,
    },
    metadata: { ...metadata, row_groups: [group], num_rows: group.num_rows },
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    parsers: {
      timestampFromMilliseconds: Number,
      timestampFromNanoseconds: (nanoseconds) => nanoseconds,
    },
    ...part,
  })
