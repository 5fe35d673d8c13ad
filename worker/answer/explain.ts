/** Explains how the database answers a plan: its SQL, SQLite's query plan, and the rows read. */

import type { CountsPlan, SelectPlan } from '../plan/plan.ts'
import { compile } from '../sql/compile.ts'
import type { Database } from '../store/database.ts'
import { explainSelects, type Explanation } from '../store/explain.ts'
import { freshDictionaryReader } from '../store/dictionary-reader.ts'

/** Reads the first page of each select of the plan, and counts the rows that this reads. */
export async function explainPlan(
  database: Database,
  plan: SelectPlan | CountsPlan,
): Promise<readonly Explanation[]> {
  const { selects } = await compile(plan, freshDictionaryReader(database))
  return explainSelects(database, selects)
}
