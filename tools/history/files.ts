/** The rows of a history's files. */

import { filePath, type HistoryFile } from '../../worker/history/bucket.ts'
import { readParquet } from './read-parquet.ts'
import type { ReadRow } from './api-report.ts'
import type { HistoryStore, PartOfDay } from './store.ts'

/** The rows of one file of a part; none where the part has no such file. */
export async function rowsIn(
  { read }: Pick<HistoryStore, 'read'>,
  table: HistoryFile['table'],
  { day, part }: PartOfDay,
): Promise<ReadRow[]> {
  const file = await read(filePath(table, day, part))
  return file === null ? [] : readParquet(file)
}
