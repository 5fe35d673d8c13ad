/** Reads the runs of one node from files of `reports`: a day's file whole, of a month's file the row groups that can hold the node. */

import type { ReportsFile } from '../store/history-places.ts'
import type { HistoryBucket } from './bucket.ts'
import { reportsPath } from './find-report.ts'
import {
  readRowsOfFiles,
  type FileToRead,
  type ReadingBounds,
  type RowsOfFiles,
} from './read-rows.ts'

/** Columns of `reports` that runs have. */
export const RUN_COLUMNS = [
  ...['hash', 'certname', 'producer_timestamp', 'environment', 'status', 'noop', 'noop_pending'],
  ...['corrective_change', 'start_time', 'end_time', 'configuration_version', 'event_count'],
  ...['state', 'causes', 'agent_version', 'code_id', 'type'],
] as const

/** The runs of a node in files of `reports`, in the order of time in each. */
export const readRunsOfFiles = (
  bucket: HistoryBucket | undefined,
  files: readonly ReportsFile[],
  certname: string,
  bounds: ReadingBounds,
): Promise<RowsOfFiles> =>
  readRowsOfFiles(
    bucket,
    files.map(toRead),
    {
      columns: RUN_COLUMNS,
      by: { certname },
    },
    bounds,
  )

const toRead = (file: ReportsFile): FileToRead => ({
  path: reportsPath(file),
  bytes: file.isDay ? null : file.bytes,
})
