/** Runs a query of the query page as `/query/v4` would, within the reader's fence. */

import { planRoot } from '../insight/root-plan.ts'
import type { Query } from '../query/ast.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers } from '../store/answer.ts'
import { textReader } from '../store/texts.ts'
import type { Visit } from './visit.ts'

/** Some rows of a query: how many are passed over, and how many are taken at most. */
interface Part {
  readonly from: number
  readonly most: number
}

/** The rows of a query as JSON texts, page by page. @throws QueryError */
export async function* runQuery(
  { database, reader }: Visit,
  query: Query,
  { from, most }: Part = { from: 0, most: Infinity },
): AsyncGenerator<readonly string[]> {
  const plan = planRoot(query, reader.fence)
  if (plan.kind === 'nothing') {
    yield plan.rows.map((row) => JSON.stringify(row))
    return
  }
  const limit = Math.min(most, (plan.limit ?? Infinity) - from)
  if (limit <= 0) return
  const part = { ...plan, limit: limit === Infinity ? null : limit, offset: plan.offset + from }
  const compiled = () => compile(part, textReader(database))
  for (const { pages } of await openAnswers(database, compiled, { total: false, prefix: '' })) {
    yield* pages
  }
}

/** So many rows at most, and whether there are more behind them. */
export async function somePages(
  visit: Visit,
  query: Query,
  { from, most }: Part,
): Promise<{ readonly rows: readonly string[]; readonly more: boolean }> {
  const rows: string[] = []
  for await (const page of runQuery(visit, query, { from, most: most + 1 })) rows.push(...page)
  return { rows: rows.slice(0, most), more: rows.length > most }
}
