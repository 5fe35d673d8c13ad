/** Runs a query of the query page as `/query/v4` would, within the reader's fence. */

import { fenceOf, type Bounds } from '../access/bounds.ts'
import { planOf, readQueryOf } from '../http/question.ts'
import { Denied } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers } from '../store/answer.ts'
import { explain } from '../store/explain.ts'
import { freshTextReader, textReader } from '../store/texts.ts'
import type { Visit } from './visit.ts'

export type QueryRow = Readonly<Record<string, Json>>

const ROOT = { kind: 'root', takes: 'root' } as const

/** The plan of a query in PQL or AST. @throws QueryError where it can't be understood */
export function planQuery(query: string, bounds: Bounds | null) {
  const sent = new Map<string, Json>([['query', query]])
  const place = { names: {}, prefix: '', fence: fenceOf(bounds) }
  return planOf(ROOT, readQueryOf(ROOT, sent), place, sent)
}

/** The rows of a query, page by page. @throws QueryError */
export async function* runQuery(
  { database, reader }: Visit,
  query: string,
): AsyncGenerator<readonly QueryRow[]> {
  const plan = planQuery(query, reader.bounds)
  if (plan.kind === 'nothing') {
    yield plan.rows
    return
  }
  const compiled = () => compile(plan, textReader(database))
  for (const { pages } of await openAnswers(database, compiled, { total: false, prefix: '' })) {
    for await (const page of pages) yield page.map((row) => JSON.parse(row) as QueryRow)
  }
}

/** The first rows, and whether there are more. */
export async function firstRows(
  visit: Visit,
  query: string,
  most: number,
): Promise<{ readonly rows: readonly QueryRow[]; readonly more: boolean }> {
  const rows: QueryRow[] = []
  for await (const page of runQuery(visit, query)) {
    rows.push(...page.slice(0, most + 1 - rows.length))
    if (rows.length > most) break
  }
  return { rows: rows.slice(0, most), more: rows.length > most }
}

/** How a query is answered: its SQL, SQLite's plan, the rows read. @throws Denied for readers who may not see everything */
export async function explainQuery({ database, reader }: Visit, query: string): Promise<unknown> {
  if (reader.bounds !== null) {
    throw new Denied(403, 'explain tells what the whole database holds, and you are bounded.')
  }
  const plan = planQuery(query, null)
  if (plan.kind === 'nothing') return []
  const { selects } = await compile(plan, freshTextReader(database))
  return explain(database, selects)
}
