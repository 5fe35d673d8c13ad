/** MAX_ROWS: a longer answer is refused, since a part of it would be taken for the whole. */

import type { ResultSet } from '../../answer/ask.ts'
import { QueryError } from '../../lib/errors.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Settings } from '../../schema/settings.ts'

type Limit = Pick<Settings, 'MAX_ROWS'>

/** Whether only counting can tell that an answer is short enough. */
export const needsTotal = (plan: Plan, { MAX_ROWS: most }: Limit): boolean =>
  most > 0 && plan.kind !== 'nothing' && (plan.limit ?? Infinity) > most

/** @throws QueryError for an answer of more rows than the operator allows */
export async function refuseTooManyRows(
  plan: Plan,
  { count }: ResultSet,
  limit: Limit,
): Promise<void> {
  if (!needsTotal(plan, limit)) return
  const rows = await count()
  if (rows <= limit.MAX_ROWS) return
  throw new QueryError(
    `The answer has ${rows} rows, and this service returns at most ${limit.MAX_ROWS}. Ask for fewer, or page by page with limit, offset and order_by.`,
  )
}
