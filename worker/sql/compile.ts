/** The compiler: a plan, with its patterns tried, becomes SQL. */

import { unreachable } from '../lib/invariant.ts'
import type { CountsPlan, SelectPlan } from '../plan/plan.ts'
import { compileCounts } from './counts.ts'
import { tryPatterns, type TextReader } from './patterns.ts'
import { compileSelect, type CompiledSelect } from './select.ts'

/**
 * Compiles a plan into the selects that answer it, one for each summary of counts, one otherwise.
 *
 * @param reader for the texts that regular expressions are tried on; not asked where there are none
 * @throws QueryError where the query is beyond a limit of D1
 */
export async function compile(
  plan: SelectPlan | CountsPlan,
  reader: TextReader,
): Promise<readonly CompiledSelect[]> {
  const { entity, distinct } = plan
  const levels = distinct ? [plan, { entity, where: distinct.among }] : [plan]
  const matches = await tryPatterns(levels, reader)
  switch (plan.kind) {
    case 'select':
      return [compileSelect(plan, matches)]
    case 'counts':
      return compileCounts(plan, matches)
    default:
      return unreachable(plan)
  }
}
