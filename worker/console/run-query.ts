/** Runs a query of the query page as `/query/v4` would, under the reader's row policy. */

import { ask } from '../answer/ask.ts'
import { planRoot } from '../answer/ask.ts'
import type { Query } from '../query/ast.ts'
import type { BatchRead } from '../store/batch-read.ts'
import type { Visit } from './visit.ts'

/** A range of a query's rows, and a read to attach to the first round trip. */
interface Part {
  readonly from: number
  readonly most: number
  readonly attached?: BatchRead<unknown>
}

/** The rows of a query as JSON texts, page by page. @throws QueryError */
export async function* runQuery(
  { database, reader }: Visit,
  query: Query,
  { from, most, attached }: Part = { from: 0, most: Infinity },
): AsyncGenerator<readonly string[]> {
  const plan = planRoot(query, reader.rowPolicy)
  if (plan.kind === 'nothing') {
    yield* (await ask(database, plan)).pages
    return
  }
  const limit = Math.min(most, (plan.limit ?? Infinity) - from)
  if (limit <= 0) return
  const part = { ...plan, limit: limit === Infinity ? null : limit, offset: plan.offset + from }
  yield* (await ask(database, part, attached && { attached })).pages
}

/** At most `most` rows, and whether more follow. */
export async function somePages(
  visit: Visit,
  query: Query,
  part: Part,
): Promise<{ readonly rows: readonly string[]; readonly more: boolean }> {
  const { most } = part
  const rows: string[] = []
  for await (const page of runQuery(visit, query, { ...part, most: most + 1 })) rows.push(...page)
  return { rows: rows.slice(0, most), more: rows.length > most }
}
