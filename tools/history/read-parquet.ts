/** Reads files of the history. */

import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects, type FileMetaData, type RowGroup } from 'hyparquet'
import { PARSERS, TEXT_PARSER } from '../../worker/history/open-file.ts'
import type { ReadRow } from './api-report.ts'

/** A row group of a file, and the least and greatest values of its columns. */
export interface ParquetGroup {
  readonly group: RowGroup
  readonly boundsOf: (column: string) => readonly [least: unknown, most: unknown]
  /** Its rows: times as numbers of ms, those of logs as bigints of ns, a map as a list of its entries. */
  readonly rows: () => Promise<ReadRow[]>
}

/** The row groups of a file, of which each is unpacked when it is read. */
export function parquetGroups(file: Uint8Array): ParquetGroup[] {
  const metadata = parquetMetadata(file, { parsers: PARSERS })
  return metadata.row_groups.map((group) => ({
    group,
    boundsOf(column) {
      const chunk = group.columns.find(({ meta_data: meta }) => meta!.path_in_schema[0] === column)
      const { min_value: least, max_value: most } = chunk?.meta_data?.statistics ?? {}
      return [least, most]
    },
    rows: () => rowsOf(file, { ...metadata, row_groups: [group], num_rows: group.num_rows }),
  }))
}

const rowsOf = (file: Uint8Array, metadata: FileMetaData): Promise<ReadRow[]> =>
  parquetReadObjects({
    file: {
      byteLength: file.length,
      // A Buffer's own slice shares its memory, and that of others.
      slice: (from, to = file.length) =>
        file.buffer.slice(file.byteOffset + from, file.byteOffset + to) as ArrayBuffer,
    },
    metadata,
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    parsers: {
      ...TEXT_PARSER,
      timestampFromMilliseconds: Number,
      timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds,
    },
  })

/** The rows of a file. */
export async function readParquet(file: Uint8Array): Promise<ReadRow[]> {
  const groups: ReadRow[][] = []
  for (const group of parquetGroups(file)) groups.push(await group.rows())
  return groups.flat()
}
