/** Explains compiled selects: the SQL with its parameters, SQLite's query plan, and the rows read. */

import { text, typed } from '../sql/columns.ts'
import { pageStatement } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database } from './database.ts'

export interface Explanation {
  readonly 'query plan': readonly string[]
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly rows_read: number
  readonly rows: number
}

/** The column of SQLite's plan that is shown. */
const STEP = { detail: text('detail') }

/** Rows of the page that is read to measure its cost. */
const PAGE = 100

export async function explainSelects(
  database: Database,
  selects: readonly CompiledSelect[],
): Promise<Explanation[]> {
  const explanations: Explanation[] = []
  for (const select of selects) {
    const statement = pageStatement(select, null, Math.min(PAGE, select.limit ?? PAGE))
    const before = database.usage.rowsRead
    const [plan, rows] = await database.batch([
      typed(STEP, { ...statement, sql: `explain query plan ${statement.sql}` }),
      statement,
    ])
    explanations.push({
      'query plan': plan.map(({ detail }) => detail),
      sql: statement.sql,
      parameters: statement.params.map((value) =>
        value instanceof Uint8Array ? '(bytes)' : value,
      ),
      rows_read: database.usage.rowsRead - before,
      rows: rows.length,
    })
  }
  return explanations
}
