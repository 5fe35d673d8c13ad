/** Explains queries: the SQL, SQLite's query plan, and the rows read. */

import { explainPlan } from '../../answer/explain.ts'
import { Denied } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { Query } from '../../query/ast.ts'
import { toJson } from '../../query/print.ts'
import type { Database } from '../../store/database.ts'
import { planRoot } from '../../answer/ask.ts'
import { asRequiredText, type ValuesOf } from '../../schema/readers.ts'
import { readOne } from '../../store/batch-read.ts'
import { dataVersionRead } from '../data-version.ts'
import type { PanelDefinition, PanelSource } from '../panel.ts'
import { parseRootQuery } from '../../query/root.ts'

export interface QueryExplanation {
  /** The query as the planner understood it. */
  readonly ast: Json
  /** SQL of the first page; null where nothing is read. */
  readonly sql: string | null
  readonly parameters: readonly unknown[]
  /** SQLite's query plan. */
  readonly plan: readonly string[]
  readonly rows_read: number
  readonly rows: number
  /** As D1 measured it. */
  readonly milliseconds: number
}

/** @throws Denied for a restricted reader, because the number of rows read reveals rows outside the row policy */
export function refuseToExplain(restricted: boolean): void {
  if (restricted)
    throw new Denied(
      'forbidden',
      'explain shows what the whole database holds, and your access is restricted.',
    )
}

/**
 * Explains a query of the root endpoint, and reads its first page to count the rows that this reads.
 *
 * @throws QueryError where the query can't be understood, Denied for a restricted reader
 */
export async function explainQuery(
  database: Database,
  query: Query,
  restricted: boolean,
): Promise<QueryExplanation> {
  refuseToExplain(restricted)
  const ast = toJson(query)
  const plan = planRoot(query, null)
  if (plan.kind === 'nothing') return { ast, ...NOTHING }
  const before = database.usage.sqlMilliseconds
  const [found] = await explainPlan(database, plan)
  const { sql, parameters, rows_read, rows, 'query plan': steps } = found!
  return {
    ast,
    sql,
    parameters,
    plan: steps,
    rows_read,
    rows,
    milliseconds: database.usage.sqlMilliseconds - before,
  }
}

const NOTHING = {
  sql: null,
  parameters: [],
  plan: [],
  rows_read: 0,
  rows: 0,
  milliseconds: 0,
}

const QUERY = { query: asRequiredText('The query, in PQL or as a tree.') }

/** Takes two round trips: one for the data version, and one that reads the query's first page. */
export const EXPLAIN_PANEL: PanelDefinition<'/explain', QueryExplanation> = {
  path: '/explain',
  summary: 'How a query is answered, and how many rows that reads.',
  takes: QUERY,
  read: null,
  async answer({ database, view }: PanelSource, { query }: ValuesOf<typeof QUERY>) {
    const version = await readOne(database, dataVersionRead())
    return { answer: await explainQuery(database, parseRootQuery(query), view.restricted), version }
  },
}
