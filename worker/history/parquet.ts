/** Writes rows of a history table as a Parquet file, in memory, a row group at a time. The library is loaded when it is needed. */

import type { ColumnChunk, KeyValue, RowGroup } from 'hyparquet'
import { inTurns } from '../lib/turns.ts'
import type * as library from './parquet-library.ts'
import type { HistoryTable } from '../schema/history-tables.ts'
import { groupDigest, sealed } from './open-file.ts'
import { leavesOf, writeFooter, type HistoryRow, type Leaf } from './parquet-columns.ts'

type Library = typeof library

/** `PAR1`, with which files begin and end. */
const MAGIC = 0x31524150

/** Values that are encoded in one turn. */
const VALUES_OF_TURN = 20_000

/** A file of a history table that is being written. */
export class TableFile {
  private readonly leaves: readonly Leaf[]
  private readonly bytes: InstanceType<Library['ByteWriter']>
  private readonly groups: RowGroup[] = []
  private readonly digests: string[] = []
  private count = 0
  private readonly turn = inTurns(VALUES_OF_TURN)

  private constructor(
    private readonly table: HistoryTable,
    private readonly library: Library,
  ) {
    this.leaves = leavesOf(table)
    this.bytes = new library.ByteWriter()
    this.bytes.appendUint32(MAGIC)
  }

  static async begin(table: HistoryTable): Promise<TableFile> {
    return new TableFile(table, await import('./parquet-library.ts'))
  }

  /** Rows written. */
  get rows(): number {
    return this.count
  }

  /** Bytes so far. */
  get size(): number {
    return this.bytes.offset
  }

  /** Appends rows as a row group of their own. */
  async write(rows: readonly HistoryRow[]): Promise<void> {
    if (rows.length === 0) return
    const { bytes, library } = this
    const start = bytes.offset
    const columns: ColumnChunk[] = []
    for (const { encoder, place, pageOf } of this.leaves) {
      const pageData = pageOf(rows.map((row) => row[place]!))
      columns.push(library.writeColumn({ writer: bytes, column: encoder, pageData }).chunk)
      await this.turn(rows.length)
    }
    this.groups.push({
      columns,
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + meta_data!.total_uncompressed_size,
        0n,
      ),
      num_rows: BigInt(rows.length),
      total_compressed_size: BigInt(bytes.offset - start),
    })
    this.digests.push(groupDigest([bytes.getBytes().subarray(start)]))
    this.count += rows.length
  }

  /** The whole file. Nothing can be written after it. @param path of it @param pairs what its footer says besides */
  finish(path: string, pairs: readonly KeyValue[] = []): Uint8Array {
    const { bytes } = this
    const { table, count, groups, digests } = this
    writeFooter(this.library, bytes, { path, table, rows: count, groups, digests, pairs })
    bytes.appendUint32(MAGIC)
    return sealed(bytes.getBytes())
  }
}
