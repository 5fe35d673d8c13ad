/**
 * Reads rows of the history's files for pages: a file whole, or of a month's file the row groups that can hold the rows. A
 * reading is bounded by requests and time, and says which files it read.
 */

import type { FileMetaData, RowGroup } from 'hyparquet'
import { compareTexts } from '../lib/compare-texts.ts'
import { log } from '../lib/log.ts'
import type { HistoryTable } from '../schema/history-tables.ts'
import type { HistoryBucket } from './bucket.ts'
import { placesOf, rowsAt, type ArchivedRow, type GroupSource } from './group-rows.ts'
import { readFooter, readGroups } from './month-file.ts'
import { DamagedPart, openFileIfThere } from './open-file.ts'

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
  /** The texts that its rows have, by column. */
  readonly by: Readonly<Record<string, string>>
  /** Of a row group with such rows, the least value of these columns isn't greater, and the greatest not less. */
  readonly near?: Readonly<Record<string, string | number>>
  /** Columns that only the first rows of all files have, in this order: packed texts cost most of the time. */
  readonly further?: {
    readonly columns: readonly string[]
    readonly most: number
    readonly order: (one: ArchivedRow, other: ArchivedRow) => number
  }
  /** Whether a row that is read is given. */
  readonly shows?: (row: ArchivedRow) => boolean
  /** Rows from which on no further file is begun. Of a file with more, none are given. */
  readonly most?: number
}

/** A reading that is under way. */
interface Reading extends RowsWanted {
  /** The first rows of all files so far, as `further` orders them: a file reads all columns of those that are among them. */
  first: readonly ArchivedRow[]
}

/** The rows of a file, and how many requests it took to read them. */
export interface RowsOfFile {
  readonly path: string
  readonly rows: readonly ArchivedRow[]
  readonly reads: number
  /** It is missing or damaged, or object storage did not answer. */
  readonly isUnreadable?: true
  /** It isn't there, and need not be. */
  readonly isAbsent?: true
  /** Of a day's `reports`, the tables that its part was written with. */
  readonly tables?: readonly HistoryTable[]
  /** It has too many rows. */
  readonly isFull?: true
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
  const reading: Reading = { ...wanted, first: [] }
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
      const one = await readOrName(bucket, files[place]!, reading)
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
  reading: Reading,
): Promise<RowsOfFile> {
  try {
    const found = await (file.bytes === null
      ? readWhole(bucket, file.path, reading)
      : readByRange(bucket, file.path, file.bytes, reading))
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
  reading: Reading,
): Promise<RowsOfFile | null> {
  const file = await openFileIfThere(bucket, path)
  if (file === null) return null
  const { metadata, bytes, tables } = file
  const source = { metadata, bytes, start: 0 }
  const found = rowsOf(source, groupsOf(metadata, reading), reading)
  return { path, reads: 1, tables, ...found }
}

async function readByRange(
  bucket: HistoryBucket,
  path: string,
  size: number,
  reading: Reading,
): Promise<RowsOfFile | null> {
  const metadata = await readFooter(bucket, path, size)
  if (metadata === null) return null
  const groups = groupsOf(metadata, reading)
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
  return { path, reads: 2, ...rowsOf({ metadata, ...range }, groups, reading) }
}

/** The row groups that can have such rows, by the least and the greatest value of their columns. */
const groupsOf = ({ row_groups: groups }: FileMetaData, { by, near }: RowsWanted): RowGroup[] =>
  groups.filter((group) =>
    Object.entries({ ...by, ...near }).every(([name, value]) => mayHold(group, name, value)),
  )

/** Statistics that are missing rule nothing out. Long texts are cut in them, and then are below the least and above the greatest. */
function mayHold({ columns }: RowGroup, name: string, value: string | number): boolean {
  const chunk = columns.find(({ meta_data: meta }) => meta!.path_in_schema[0] === name)
  const { min_value: least, max_value: greatest } = chunk?.meta_data?.statistics ?? {}
  if (least === undefined || greatest === undefined) return true
  return typeof value === 'string'
    ? compareTexts(String(least), value) <= 0 && compareTexts(value, String(greatest)) <= 0
    : Number(least) <= value && value <= Number(greatest)
}

function rowsOf(
  source: GroupSource,
  groups: readonly RowGroup[],
  reading: Reading,
): Pick<RowsOfFile, 'rows' | 'isFull'> {
  const { columns, by, further, shows = () => true, most = Infinity } = reading
  const found: { row: ArchivedRow; readonly group: RowGroup; readonly place: number }[] = []
  for (const group of groups) {
    const places = placesOf(source, group, by)
    if (places.length === 0) continue
    const rows = rowsAt(source, group, places, columns)
    for (const [index, row] of rows.entries())
      if (shows(row)) found.push({ row, group, place: places[index]! })
    if (found.length > most) return { rows: [], isFull: true }
  }
  if (further !== undefined && further.most > 0) {
    const first = [...reading.first, ...found.map(({ row }) => row)]
      .toSorted(further.order)
      .slice(0, further.most)
    // Of equals, all: another file may order them otherwise.
    const last = first.length < further.most ? null : first.at(-1)!
    const firstOnes = found.filter(({ row }) => last === null || further.order(row, last) <= 0)
    for (const [group, some] of Map.groupBy(firstOnes, (one) => one.group)) {
      const places = some.map(({ place }) => place)
      const more = rowsAt(source, group, places, further.columns)
      for (const [index, one] of some.entries()) one.row = { ...one.row, ...more[index] }
    }
    // Not before: of a damaged file, no rows are given.
    reading.first = first
  }
  return { rows: found.map(({ row }) => row) }
}
