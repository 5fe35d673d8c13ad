/** What the files of months hold, as object storage has them. */

import type { MonthFileRow } from '../store/history-months.ts'
import { pathOf, type HistoryBucket, type HistoryFile } from './bucket.ts'
import { readFooter, summaryOf } from './month-file.ts'
import { readOrDamaged } from './open-file.ts'

/** What a file of a month holds, by its footer; null where it is there no more. @throws DamagedPart */
export async function describeMonthFile(
  bucket: HistoryBucket,
  file: HistoryFile,
): Promise<MonthFileRow | null> {
  const { table, day: month, part, bytes } = file
  const path = pathOf(file)
  const footer = await readFooter(bucket, path, bytes)
  if (footer === null) return null
  return readOrDamaged(path, () => ({
    ...{ month, table, part, bytes, rows: Number(footer.num_rows) },
    ...summaryOf(footer),
  }))
}
