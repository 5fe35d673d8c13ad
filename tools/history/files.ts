/** The rows of a history's files. */

import { pathOf, type HistoryPlace } from '../../worker/history/bucket.ts'
import { parquetGroups, readParquet, type ParquetGroup } from './read-parquet.ts'
import type { ReadRow } from './api-report.ts'
import type { HistoryStore } from './store.ts'

/** The rows of one file; none where there is no such file. */
export async function rowsIn(
  { read }: Pick<HistoryStore, 'read'>,
  place: HistoryPlace,
): Promise<ReadRow[]> {
  const file = await read(pathOf(place))
  return file === null ? [] : readParquet(file)
}

/** The row groups of one file; none where there is no such file. */
export async function groupsIn(
  { read }: Pick<HistoryStore, 'read'>,
  place: HistoryPlace,
): Promise<ParquetGroup[]> {
  const file = await read(pathOf(place))
  return file === null ? [] : parquetGroups(file)
}
