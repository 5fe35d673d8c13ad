/** Checks indexes against their tables: one index at a time, except indexes of reports, whose rows the pages of reports check. */

import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import type { CheckedPage, CheckOptions } from './checked-page.ts'
import { entriesRuleOf, INDEX_DEFINITIONS, rowsRuleOf } from './index-rules.ts'
import { readProblems, type SqlRule } from './sql-rules.ts'

/** The table whose own pages compare its rows with its indexes. */
const PAGED = 'reports'

/** The rules for the rows of a page of reports. @param page condition on a row `r` */
export async function indexRulesOfReports(
  database: Database,
  page: string,
): Promise<readonly SqlRule[]> {
  const [indexes] = await database.batch([INDEX_DEFINITIONS])
  return indexes.filter(({ table }) => table === PAGED).map((index) => rowsRuleOf(index, page))
}

/** @param after number of the index before */
export async function checkIndexes(
  database: Database,
  after: number,
  { repairs }: Pick<CheckOptions, 'repairs'>,
): Promise<CheckedPage> {
  const [indexes] = await database.batch([INDEX_DEFINITIONS])
  const number = Math.max(after + 1, 0)
  const index = indexes[number]
  if (index === undefined) return { checked: 0, problems: [], next: null }
  const rules = [
    entriesRuleOf(index),
    // All indexes are repaired before other rows are, which are read by them.
    ...(index.table === PAGED && !repairs ? [] : [rowsRuleOf(index)]),
  ]
  const problems = await readOne(database, readProblems(rules, []))
  return { checked: 1, problems, next: number + 1 < indexes.length ? number : null }
}
