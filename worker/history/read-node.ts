/** Reads the runs of one node from parts of the history: a file of `reports` each, whole, of which it unpacks what can hold the node. */

import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects, type RowGroup } from 'hyparquet'
import { HISTORY_TABLES } from '../schema/history-tables.ts'
import { filePath, type HistoryBucket } from './bucket.ts'

/** Columns of `reports` that runs have. */
const COLUMNS = [
  ...['hash', 'certname', 'producer_timestamp', 'environment', 'status', 'noop', 'noop_pending'],
  ...['corrective_change', 'start_time', 'end_time', 'configuration_version', 'event_count'],
] as const
const CERTNAME = HISTORY_TABLES.reports.findIndex(({ name }) => name === 'certname')

/** Values by column; times as numbers of ms. */
export type ArchivedRun = Readonly<Record<string, unknown>>

/**
 * The runs of a node in a part, in the order of time. Fetching a file of a megabyte once is faster than its footer, and then
 * ranges of it, one behind the other: object storage answers in tens of milliseconds.
 *
 * @returns none where the part is there no more
 */
export async function readRuns(
  bucket: HistoryBucket,
  { day, part }: { readonly day: number; readonly part: number },
  certname: string,
): Promise<ArchivedRun[]> {
  const object = await bucket.get(filePath('reports', day, part))
  if (object === null) return []
  const bytes = await object.arrayBuffer()
  const metadata = parquetMetadata(bytes)
  const runs: ArchivedRun[] = []
  let rowStart = 0
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows)
    if (mayHold(group, certname)) {
      const rows = await parquetReadObjects({
        file: { byteLength: bytes.byteLength, slice: (from, to) => bytes.slice(from, to) },
        metadata,
        rowStart,
        rowEnd,
        columns: [...COLUMNS],
        compressors: { GZIP: (packed) => gunzipSync(packed) },
        parsers: { timestampFromMilliseconds: Number },
      })
      runs.push(...rows.filter((row) => row['certname'] === certname))
    }
    rowStart = rowEnd
  }
  return runs
}

/** By the least and greatest certname of the group, which may be cut, and then are below and above it. */
function mayHold({ columns }: RowGroup, certname: string): boolean {
  const { min_value: least, max_value: most } = columns[CERTNAME]!.meta_data?.statistics ?? {}
  return (
    typeof least !== 'string' || typeof most !== 'string' || (least <= certname && certname <= most)
  )
}
