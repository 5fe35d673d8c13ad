/** Assembles a Parquet file of a month from column chunks that are packed already, and reads the footers and ranges that it takes. */

import type * as library from './parquet-library.ts'
import type { ColumnChunk, FileMetaData, KeyValue, RowGroup } from 'hyparquet'
import type { HistoryTable } from '../schema/history-tables.ts'
import { type HistoryBucket, pathOf, type HistoryFile } from './bucket.ts'
import {
  groupDigest,
  pairOf,
  readBytes,
  readOwnFooter,
  readOrDamaged,
  requireGroup,
  sealed,
  startOf,
} from './open-file.ts'
import { writeFooter } from './parquet-columns.ts'
import type { MonthFileRow } from '../store/history-months.ts'

type Library = typeof library

/** A chunk of a column: its bytes, and what the footer says of it, where its first byte has the offset `at`. */
export interface PackedChunk {
  readonly bytes: Uint8Array
  readonly chunk: ColumnChunk
  readonly at: number
}

const MAGIC = new TextEncoder().encode('PAR1')
/** The key under which the footer of a month's file has its summary as JSON. */
const SUMMARY_KEY = 'report-query-service.month'

/** What a file of a month holds: its rows by day, from the first of the month on, and the certnames of `reports`. */
export interface MonthSummary {
  readonly days: readonly number[]
  /** Empty in the files of other tables. Statistics cut long names. */
  readonly first: string
  readonly last: string
}

/** A file of a month that is being assembled. */
export class MonthFile {
  private readonly pieces: Uint8Array[] = [MAGIC]
  private readonly groups: RowGroup[] = []
  private readonly digests: string[] = []
  private offset = MAGIC.length
  private count = 0

  private constructor(
    private readonly table: HistoryTable,
    private readonly library: Library,
  ) {}

  static async begin(table: HistoryTable): Promise<MonthFile> {
    return new MonthFile(table, await import('./parquet-library.ts'))
  }

  get rows(): number {
    return this.count
  }

  /** Appends a row group: the chunks of all columns, in the order of the table's schema. */
  append(rows: number, chunks: readonly PackedChunk[]): void {
    const start = this.offset
    const columns = chunks.map(({ bytes, chunk, at }) => {
      const moved = movedBy(chunk, BigInt(this.offset - at))
      this.pieces.push(bytes)
      this.offset += bytes.length
      return moved
    })
    this.groups.push({
      columns,
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + meta_data!.total_uncompressed_size,
        0n,
      ),
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(this.offset - start),
    })
    this.digests.push(groupDigest(chunks.map(({ bytes }) => bytes)))
    this.count += rows
  }

  /** The whole file. @param path of it @param summary null for a file of a day @param pairs what its footer says besides */
  finish(path: string, summary: MonthSummary | null, pairs: readonly KeyValue[] = []): Uint8Array {
    const footer = new this.library.ByteWriter()
    writeFooter(this.library, footer, {
      path,
      table: this.table,
      rows: this.count,
      groups: this.groups,
      digests: this.digests,
      pairs:
        summary === null ? pairs : [...pairs, { key: SUMMARY_KEY, value: JSON.stringify(summary) }],
    })
    const pieces = [...this.pieces, footer.getBytes(), MAGIC]
    const file = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const piece of pieces) {
      file.set(piece, at)
      at += piece.length
    }
    return sealed(file)
  }
}

function movedBy({ meta_data: meta }: ColumnChunk, by: bigint): ColumnChunk {
  const dictionary = meta!.dictionary_page_offset
  const start = startOf(meta!) + by
  return {
    file_offset: start,
    meta_data: {
      ...meta!,
      data_page_offset: meta!.data_page_offset + by,
      ...(dictionary !== undefined && { dictionary_page_offset: dictionary + by }),
    },
  }
}

/** The bytes of a row group: where its first chunk begins, and where its last one ends. */
function rangeOf({ columns }: RowGroup): readonly [start: number, end: number] {
  let [start, end] = [Infinity, 0]
  for (const { meta_data: meta } of columns) {
    const first = Number(startOf(meta!))
    start = Math.min(start, first)
    end = Math.max(end, first + Number(meta!.total_compressed_size))
  }
  return [start, end]
}

/** Most footers are shorter. A longer one costs a second request. */
const TAIL_BYTES = 64_000

/** Reads the footer of a file. @returns null where the file is there no more @throws DamagedPart */
export async function readFooter(
  bucket: HistoryBucket,
  path: string,
  bytes: number,
): Promise<FileMetaData | null> {
  let tail = await readRange(bucket, path, Math.max(0, bytes - TAIL_BYTES), bytes)
  if (tail === null) return null
  const needed =
    tail.length < 8
      ? 0
      : new DataView(tail.buffer, tail.byteOffset).getUint32(tail.length - 8, true) + 8
  if (needed > tail.length && needed <= bytes)
    tail = await readRange(bucket, path, bytes - needed, bytes)
  if (tail === null) return null
  return readOrDamaged(path, () => readOwnFooter(path, tail))
}

/** Bytes that are read of a file, and the place in it of the first of them. */
export interface FileRange {
  readonly bytes: Uint8Array
  readonly start: number
}

/** Reads row groups of a file, which are side by side. @returns null where the file is there no more @throws DamagedPart */
export async function readGroups(
  bucket: HistoryBucket,
  path: string,
  footer: FileMetaData,
  groups: readonly RowGroup[],
): Promise<FileRange | null> {
  const ranges = groups.map(rangeOf)
  const start = ranges[0]![0]
  const bytes = await readRange(bucket, path, start, ranges.at(-1)![1])
  if (bytes === null) return null
  for (const [index, [from, to]] of ranges.entries())
    requireGroup(path, footer, groups[index]!, bytes.subarray(from - start, to - start))
  return { bytes, start }
}

/** The bytes of a file from one place to another; null where the file is there no more. @throws DamagedPart */
const readRange = (
  bucket: HistoryBucket,
  path: string,
  from: number,
  to: number,
): Promise<Uint8Array | null> => readBytes(bucket, path, { offset: from, length: to - from })

/** What the footer of a month's file says that it holds. @throws Error for another file */
export function summaryOf(metadata: FileMetaData): MonthSummary {
  const value = pairOf(metadata, SUMMARY_KEY)
  if (value === undefined) throw new Error('Its footer has no summary of a month.')
  return JSON.parse(value) as MonthSummary
}

/** What a file of a month holds, by its footer; null where it is there no more. @throws DamagedPart */
export async function describeMonthFile(
  bucket: HistoryBucket,
  file: HistoryFile,
): Promise<MonthFileRow | null> {
  const { table, day: month, part, bytes } = file
  const path = pathOf(file)
  const footer = await readFooter(bucket, path, bytes)
  if (footer === null) return null
  return readOrDamaged(path, () => ({
    ...{ month, table, part, bytes, rows: Number(footer.num_rows) },
    ...summaryOf(footer),
  }))
}
