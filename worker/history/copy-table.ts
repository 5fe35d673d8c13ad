/**
 * Copies the row groups of days into a file of a month, as they are packed. Each stays sorted as its day's part was, and its
 * statistics lead to it: logs and metrics are too large to be sorted again in an isolate.
 */

import type { FileMetaData } from 'hyparquet'
import type { HistoryTable } from '../schema/history-tables.ts'
import { pathOf, type HistoryBucket } from './bucket.ts'
import type { CompactedFile } from './compaction.ts'
import { countsOf, packed } from './merge-reports.ts'
import { MonthFile, summaryOf, type PackedChunk } from './month-file.ts'
import { leavesOf } from './parquet-columns.ts'
import { openFileIfThere, startOf } from './open-file.ts'

/** Bytes of a file, which is held in memory twice while it is put. */
export const MOST_BYTES_OF_FILE = 16_000_000

/** The files that become one file of a month each. */
export function runsOf(files: readonly CompactedFile[]): CompactedFile[][] {
  const runs: CompactedFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    if (bytes + file.bytes > MOST_BYTES_OF_FILE) {
      runs.push([])
      bytes = 0
    }
    runs.at(-1)!.push(file)
    bytes += file.bytes
  }
  return runs
}

/** @param to the path of the file @returns the file; null where none of the files is there any more */
export async function copyTable(
  bucket: HistoryBucket,
  to: string,
  table: HistoryTable,
  month: number,
  files: readonly CompactedFile[],
): Promise<Uint8Array | null> {
  const copy = await MonthFile.begin(table)
  const days: number[] = []
  for (const one of files) {
    const file = await openFileIfThere(bucket, pathOf({ table, ...one }))
    if (file === null) continue
    for (const group of file.metadata.row_groups)
      copy.append(Number(group.num_rows), await chunksOf(table, group, file.bytes))
    const [from, counts] =
      one.span === 'day' ? [one.day - month, [file.rows]] : [0, summaryOf(file.metadata).days]
    for (const [index, rows] of counts.entries())
      days[from + index] = (days[from + index] ?? 0) + rows
  }
  return copy.rows === 0 ? null : copy.finish(to, { days: countsOf(days), first: '', last: '' })
}

/** The chunks of a row group by the columns that the table has now: those that its version didn't have are null in each row. */
export async function chunksOf(
  table: HistoryTable,
  group: FileMetaData['row_groups'][number],
  bytes: Uint8Array,
): Promise<PackedChunk[]> {
  const chunks: PackedChunk[] = []
  for (const leaf of leavesOf(table)) {
    const chunk = group.columns.find(
      ({ meta_data: meta }) => meta!.path_in_schema.join('.') === leaf.encoder.columnName,
    )
    if (chunk === undefined) {
      const nulls = Array.from({ length: Number(group.num_rows) }, () => null)
      chunks.push(packed(await import('./parquet-library.ts'), leaf, nulls))
      continue
    }
    const at = Number(startOf(chunk.meta_data!))
    const end = at + Number(chunk.meta_data!.total_compressed_size)
    chunks.push({ bytes: bytes.subarray(at, end), chunk, at })
  }
  return chunks
}
