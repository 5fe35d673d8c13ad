/** Refuses answers that need more database queries than a request may send, as long as nothing of them has been sent. */

import type { ResultSet } from '../answer/ask.ts'
import { QueryError } from '../lib/errors.ts'
import type { Plan } from '../plan/plan.ts'
import type { Settings } from '../schema/settings.ts'
import { PAGE_STATEMENTS } from '../store/answer.ts'
import type { Database } from '../store/database.ts'

/**
 * Counts the rows of an answer of several pages, unless its limit is low enough.
 *
 * @param instead what the client can do
 * @throws QueryError for an answer that MAX_QUERIES does not suffice for
 */
export async function requireAffordable(
  database: Database,
  plan: Plan,
  { whole, count, rowsPerPage }: ResultSet,
  { MAX_QUERIES }: Pick<Settings, 'MAX_QUERIES'>,
  instead: string,
): Promise<void> {
  if (MAX_QUERIES === 0 || whole || plan.kind === 'nothing') return
  const pages = Math.floor((MAX_QUERIES - database.usage.statements) / PAGE_STATEMENTS) - 1
  const most = Math.max(1, pages) * rowsPerPage
  if ((plan.limit ?? Infinity) <= most) return
  const rows = await count()
  if (rows <= most) return
  throw new QueryError(
    `The answer has ${rows} rows; with the ${MAX_QUERIES} database queries that a request may send (MAX_QUERIES), this service returns about ${most}. ${instead}`,
  )
}
