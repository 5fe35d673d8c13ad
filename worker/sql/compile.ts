/** The compiler: a plan, with its patterns tried, becomes SQL. */

import { unreachable } from '../lib/invariant.ts'
import type { CountsPlan, SelectPlan } from '../plan/plan.ts'
import { compileCounts } from './counts.ts'
import { tryPatterns, type TextReader, type Trials } from './patterns.ts'
import type { Matches } from './predicate.ts'
import { compileSelect, type CompiledSelect } from './select.ts'

/** A plan as SQL. */
export interface Compiled {
  /** One for each summary of counts, one otherwise. */
  readonly selects: readonly CompiledSelect[]
  /** What its regular expressions matched, which holds as long as their dictionaries bring nothing new to them. */
  readonly trials: Trials
}

/**
 * Compiles a plan into the selects that answer it.
 *
 * @param reader for the texts that regular expressions are tried on; not asked where there are none
 * @throws QueryError where the query is beyond a limit of D1
 */
export async function compile(
  plan: SelectPlan | CountsPlan,
  reader: TextReader,
): Promise<Compiled> {
  const { entity, distinct } = plan
  const levels = distinct ? [plan, { entity, where: distinct.among }] : [plan]
  const trials = await tryPatterns(levels, reader)
  return { selects: compiled(plan, trials.matches), trials }
}

function compiled(plan: SelectPlan | CountsPlan, matches: Matches): readonly CompiledSelect[] {
  switch (plan.kind) {
    case 'select':
      return [compileSelect(plan, matches)]
    case 'counts':
      return compileCounts(plan, matches)
    default:
      return unreachable(plan)
  }
}
