/** Checks that the files of months are there and can be read, and that the database knows what they hold. */

import { pathOf, type HistoryBucket } from '../history/bucket.ts'
import { readWholeFile } from '../history/whole-part.ts'
import type { Database } from '../store/database.ts'
import { readMonthFiles, type MonthFileRow } from '../store/history-months.ts'
import type { CheckedPage, CheckOptions, Problem } from './checked-page.ts'
import { problemOfFile } from './archived-days.ts'

/** Files of a page: each is 16 MB at most. */
const PAGE = 10

/** @param after how many files are before the page, or less than 0 */
export async function checkArchivedMonths(
  database: Database,
  after: number,
  { history }: Pick<CheckOptions, 'history'>,
): Promise<CheckedPage> {
  if (history === null) return { checked: 0, problems: [], next: null }
  const offset = Math.max(0, after)
  const files = await readMonthFiles(database, offset, PAGE)
  const problems: Problem[] = []
  for (const file of files) problems.push(...(await problemsOfFile(history.bucket, file)))
  const next = files.length < PAGE ? null : offset + PAGE
  return { checked: files.length, problems, next }
}

/** A restore would bring the node back. */
const REREAD =
  'Where a node was forgotten, the next housekeeping reads the file again. Else put it back from a backup.'

async function problemsOfFile(
  bucket: HistoryBucket,
  { table, month, part, rows }: MonthFileRow,
): Promise<Problem[]> {
  const path = pathOf({ table, span: 'month', day: month, part })
  try {
    const found = await readWholeFile(bucket, path)
    if (found === rows) return []
    const where = `${path} has ${found} rows, and the database says ${rows}`
    return [{ invariant: 'the database knows what a file of a month has', where, remedy: REREAD }]
  } catch (error) {
    return [problemOfFile(error)]
  }
}
