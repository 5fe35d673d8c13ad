/** Reads a file of the history whole. */

import { gunzipSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import type { ReadRow } from './api-report.ts'

/** The rows of a file: times as numbers of ms, those of logs as bigints of ns, a map as a list of its entries. */
export async function readParquet(file: Uint8Array): Promise<ReadRow[]> {
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength)
  const rows = await parquetReadObjects({
    file: {
      byteLength: bytes.byteLength,
      slice: (from, to) => (bytes as ArrayBuffer).slice(from, to),
    },
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    parsers: {
      timestampFromMilliseconds: Number,
      timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds,
    },
  })
  return rows
}
