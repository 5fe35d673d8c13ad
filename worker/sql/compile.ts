/** The compiler: evaluates the patterns of a plan and makes SQL of it. */

import { unreachable } from '../lib/invariant.ts'
import type { CountsPlan, SelectPlan } from '../plan/plan.ts'
import { compileCounts } from './counts.ts'
import { evaluatePatterns, type TextReader, type EvaluatedPatterns } from './patterns.ts'
import type { Matches } from './matches.ts'
import { compileSelect, type CompiledSelect } from './select.ts'

/** A plan as SQL. */
export interface Compiled {
  /** One for each summary of counts, one otherwise. */
  readonly selects: readonly CompiledSelect[]
  /** The matches of its regular expressions, which are valid until a dictionary has a new match. */
  readonly patterns: EvaluatedPatterns
}

/**
 * Compiles a plan into the selects that answer it.
 *
 * @param reader reads the texts that regular expressions are evaluated on; unused without any
 *
 * @throws QueryError where the query exceeds a limit of D1
 */
export async function compile(
  plan: SelectPlan | CountsPlan,
  reader: TextReader,
): Promise<Compiled> {
  const { entity, distinct } = plan
  const levels = distinct ? [plan, { entity, where: distinct.among }] : [plan]
  const patterns = await evaluatePatterns(levels, reader)
  return { selects: compiled(plan, patterns.matches), patterns }
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
