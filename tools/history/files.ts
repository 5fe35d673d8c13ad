/** The rows of a history's files. */

import { pathOf, type HistoryPlace } from '../../worker/history/bucket.ts'
import { openBytes } from '../../worker/history/open-file.ts'
import { parquetGroups, readParquet, type ParquetGroup } from './read-parquet.ts'
import type { ReadRow } from './api-report.ts'
import type { HistoryStore } from './store.ts'

/** The rows of one file; none where there is no such file. @throws DamagedPart */
export async function rowsIn(
  { read }: Pick<HistoryStore, 'read'>,
  place: HistoryPlace,
): Promise<ReadRow[]> {
  const path = pathOf(place)
  const file = await read(path)
  return file === null ? [] : readParquet(wholeBytes(path, file))
}

/** The row groups of one file; none where there is no such file. @throws DamagedPart */
export async function groupsIn(
  { read }: Pick<HistoryStore, 'read'>,
  place: HistoryPlace,
): Promise<ParquetGroup[]> {
  const path = pathOf(place)
  const file = await read(path)
  return file === null ? [] : parquetGroups(wholeBytes(path, file))
}

/** @throws DamagedPart */
function wholeBytes(path: string, bytes: Uint8Array): Uint8Array {
  return openBytes(path, bytes).bytes
}
