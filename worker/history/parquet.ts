/** Writes rows of a history table as a Parquet file, in memory, a row group at a time. The library is loaded when it is needed. */

import { Buffer } from 'node:buffer'
import { constants, gzipSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import type { ColumnSource } from 'hyparquet-writer'
import type { ParquetWriter } from 'hyparquet-writer/src/parquet-writer.js'
import type { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import {
  HISTORY_TABLES,
  HISTORY_VERSION,
  type HistoryColumn,
  type HistoryKind,
  type HistoryTable,
} from '../schema/history-tables.ts'

/** A map of numbers: the entries in their order. */
export type NumberMap = readonly { readonly key: string; readonly value: number }[]
export type HistoryValue = string | number | bigint | boolean | null | readonly string[] | NumberMap
/** A row, its values in the order of the table's columns. */
export type HistoryRow = readonly HistoryValue[]

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
/** Kinds whose values are one column of Parquet. */
const PRIMITIVES = {
  string: TEXT,
  json: TEXT,
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  milliseconds: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  nanoseconds: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
  },
} as const satisfies Partial<Record<HistoryKind, object>>

/** What Parquet's schema says of a column: its element, and those below it. */
function elementsOf({ name, id, kind, required }: HistoryColumn): SchemaElement[] {
  const column = {
    name,
    field_id: id,
    repetition_type: required ? 'REQUIRED' : 'OPTIONAL',
  } as const
  const item = (name: string, field_id: number, type: object): SchemaElement => ({
    name,
    field_id,
    repetition_type: 'REQUIRED',
    ...type,
  })
  if (kind === 'strings') {
    return [
      { ...column, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      item('element', id + 1, TEXT),
    ]
  }
  if (kind === 'numbers') {
    return [
      { ...column, converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      item('key', id + 1, TEXT),
      item('value', id + 2, { type: 'DOUBLE' }),
    ]
  }
  return [{ ...column, ...PRIMITIVES[kind] }]
}

const schemaOf = (columns: readonly HistoryColumn[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.flatMap(elementsOf),
]

/** Numbers that JavaScript holds as such, and Parquet in 64 bits. */
const IN_64_BITS: ReadonlySet<HistoryKind> = new Set(['integer', 'milliseconds'])

const TIMES: ReadonlySet<HistoryKind> = new Set(['milliseconds', 'nanoseconds'])
/** Columns whose texts are random digits: written with their lengths apart from them (part-hashes.ts reads `hash`). */
const IDENTITIES: ReadonlySet<string> = new Set([
  ...['hash', 'report', 'transaction_uuid', 'catalog_uuid'],
])

/** How a column is written. */
function sourceOf(column: HistoryColumn, place: number, rows: readonly HistoryRow[]): ColumnSource {
  const { name, kind } = column
  const wide = IN_64_BITS.has(kind)
  const data = rows.map((row) => {
    const value = row[place]!
    return wide && typeof value === 'number' ? BigInt(value) : value
  })
  return {
    name,
    data,
    columnIndex: kind !== 'strings' && kind !== 'numbers',
    ...(TIMES.has(kind) && { encoding: 'DELTA_BINARY_PACKED' }),
    ...(IDENTITIES.has(name) && { encoding: 'DELTA_LENGTH_BYTE_ARRAY' }),
  }
}

/** Names longer than this are cut in statistics; certnames of a site often begin alike. */
const LONGEST_STATISTIC = 64

const DIGITS = /^[0-9a-f-]+$/
const LOOKED_AT = 200

/** Random digits have nothing that repeats: looking for it costs a tenth of their bytes, and time. */
function compress(plain: Uint8Array): Uint8Array {
  const end = Buffer.from(plain.subarray(-LOOKED_AT)).toString('latin1')
  return gzipSync(plain, DIGITS.test(end) ? { strategy: constants.Z_FILTERED } : {})
}

/** Loads the library: some 17 KB gzipped that no request needs. */
async function loadWriter() {
  const [{ ParquetWriter }, { ByteWriter }] = await Promise.all([
    import('hyparquet-writer/src/parquet-writer.js'),
    import('hyparquet-writer/src/bytewriter.js'),
  ])
  return { ParquetWriter, ByteWriter }
}

/** A file of a history table that is being written. */
export class TableFile {
  private readonly columns: readonly HistoryColumn[]
  private count = 0

  private constructor(
    table: HistoryTable,
    private readonly bytes: ByteWriter,
    private readonly writer: ParquetWriter,
  ) {
    this.columns = HISTORY_TABLES[table]
  }

  static async begin(table: HistoryTable): Promise<TableFile> {
    const { ParquetWriter, ByteWriter } = await loadWriter()
    const bytes = new ByteWriter()
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaOf(HISTORY_TABLES[table]),
      codec: 'GZIP',
      compressors: { GZIP: compress },
      statisticsTruncateLength: LONGEST_STATISTIC,
      createdBy: 'report-query-service',
      kvMetadata: [{ key: 'report-query-service.history', value: String(HISTORY_VERSION) }],
    })
    return new TableFile(table, bytes, writer)
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
  write(rows: readonly HistoryRow[]): void {
    if (rows.length === 0) return
    const columnData = this.columns.map((column, place) => sourceOf(column, place, rows))
    void this.writer.write({ columnData, rowGroupSize: rows.length })
    this.count += rows.length
  }

  /** The whole file. Nothing can be written after it. */
  finish(): Uint8Array {
    void this.writer.finish()
    return this.bytes.getBytes()
  }
}
