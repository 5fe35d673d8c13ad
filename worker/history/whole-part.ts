/** Proves that a part can be read whole: that each table has as many rows as its reports say, and the bytes that were written. */

import type { HistoryTable } from '../schema/history-tables.ts'
import { filePath, type HistoryReader } from './bucket.ts'
import { placesOf, rowsAt } from './group-rows.ts'
import { DamagedPart, openFile, type OpenFile } from './open-file.ts'
import { hashesIn } from './part-hashes.ts'

/**
 * Reads every file of a part once.
 *
 * @returns the hashes of its reports
 * @throws DamagedPart for the first file that is missing or not as it was written
 */
export async function readWholePart(
  bucket: HistoryReader,
  day: number,
  part: number,
): Promise<string[]> {
  const reports = await openFile(bucket, filePath('reports', day, part))
  const hashes = hashesIn(reports)
  for (const [table, rows] of tablesBeside(reports)) {
    const found = await readWholeFile(bucket, filePath(table, day, part))
    if (found !== rows)
      throw new DamagedPart(
        filePath(table, day, part),
        `it has ${found} rows, and its reports say ${rows}`,
      )
  }
  return hashes
}

/** Reads all bytes of a file. @returns its rows @throws DamagedPart, also where it is missing */
export const readWholeFile = async (bucket: HistoryReader, path: string): Promise<number> =>
  (await openFile(bucket, path)).rows

/** The other tables in which a part has rows, and how many, as its reports say. @throws DamagedPart */
export function tablesBeside(
  reports: OpenFile,
): readonly (readonly [table: HistoryTable, rows: number])[] {
  const expected = rowsOfTables(reports)
  return reports.tables.flatMap((table) =>
    table === 'reports' || expected[table] === 0 ? [] : [[table, expected[table]] as const],
  )
}

const COUNTS = ['event_count', 'log_count', 'metric_count'] as const

/** The rows of each table that the rows of `reports` say. */
function rowsOfTables({
  path,
  bytes,
  metadata,
  rows: count,
}: OpenFile): Readonly<Record<HistoryTable, number>> {
  const rows = { reports: count, events: 0, logs: 0, metrics: 0 }
  try {
    const source = { metadata, bytes, start: 0 }
    for (const group of metadata.row_groups) {
      const counts = rowsAt(source, group, placesOf(source, group, {}), COUNTS)
      for (const { event_count: events, log_count: logs, metric_count: metrics } of counts) {
        rows.events += Number(events)
        rows.logs += Number(logs ?? 0)
        // All metrics of a report are one row.
        rows.metrics += Number(Boolean(metrics))
      }
    }
    return rows
  } catch (error) {
    throw new DamagedPart(path, error)
  }
}
