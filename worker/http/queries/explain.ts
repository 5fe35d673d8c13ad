/** `explain=analyze`: how the database answers a query, instead of its rows. */

import { explainPlan } from '../../answer/explain.ts'
import { refuseToExplain } from '../../insight/assist/explanation.ts'
import { prettyJson } from '../../lib/pretty.ts'
import type { CountsPlan, Plan, SelectPlan } from '../../plan/plan.ts'
import { jsonResponse } from '../respond.ts'
import { asksToExplain } from './parameters.ts'
import { headersOf, type QueryRequest } from './request.ts'

/** Whether the request asks for an explanation. A plan that reads nothing has none. @throws QueryError */
export const explains = (
  plan: Plan,
  { parameters }: QueryRequest,
): plan is SelectPlan | CountsPlan => asksToExplain(parameters) && plan.kind !== 'nothing'

/** @throws Denied for a restricted reader */
export async function explanationResponse(
  plan: SelectPlan | CountsPlan,
  request: QueryRequest,
): Promise<Response> {
  refuseToExplain(request.rowPolicy !== null)
  const explanation = await explainPlan(request.database, plan)
  return jsonResponse(prettyJson(JSON.stringify(explanation)), headersOf(request))
}
