/** Reads of which node and time a report is, from the file of `reports` that has it. */

import type { ReportsFile } from '../store/history-places.ts'
import type { HistoryBucket } from './bucket.ts'
import { reportsPath } from './find-report.ts'
import { readRowsOfFiles } from './read-rows.ts'

/** By what a report is found in the history, beside its hash. */
export interface ReportHint {
  readonly certname: string
  /** The producer timestamp, in ms. */
  readonly time: number
}

/** @returns null where the file has no such report, or can't be read */
export async function readReportHint(
  bucket: HistoryBucket,
  file: ReportsFile,
  hash: string,
): Promise<ReportHint | null> {
  const { files } = await readRowsOfFiles(
    bucket,
    [{ path: reportsPath(file), bytes: null }],
    {
      columns: ['certname', 'producer_timestamp'],
      by: { hash },
    },
    { reads: 1, milliseconds: Infinity },
  )
  const row = files[0]?.rows[0]
  return row === undefined
    ? null
    : { certname: String(row['certname']), time: Number(row['producer_timestamp']) }
}
