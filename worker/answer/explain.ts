/** Explains how the database answers a plan: its SQL, SQLite's query plan, and the rows read. */

import type { CountsPlan, SelectPlan } from '../plan/plan.ts'
import { compile } from '../sql/compile.ts'
import type { Database } from '../store/database.ts'
import { freshDictionaryReader } from '../store/dictionary-reader.ts'
import { text, typed } from '../sql/columns.ts'
import { pageStatement } from '../sql/page.ts'

interface Explanation {
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

/** Reads the first page of each select of the plan, and counts the rows that this reads. */
export async function explainPlan(
  database: Database,
  plan: SelectPlan | CountsPlan,
): Promise<readonly Explanation[]> {
  const { selects } = await compile(plan, freshDictionaryReader(database))
  const explanations: Explanation[] = []
  for (const select of selects) {
    const statement = pageStatement(select, null, Math.min(PAGE, select.limit ?? PAGE))
    const before = database.usage.rowsRead
    const [steps, rows] = await database.batch([
      typed(STEP, { ...statement, sql: `explain query plan ${statement.sql}` }),
      statement,
    ])
    explanations.push({
      'query plan': steps.map(({ detail }) => detail),
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
