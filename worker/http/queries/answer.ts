/** The corridor of reading: parse → plan → ask → respond. */

import { ask, type ResultSet } from '../../answer/ask.ts'
import { jsonText } from '../../lib/lossless.ts'
import { prettyJson } from '../../lib/pretty.ts'
import type { Plan, CountsPlan, SelectPlan } from '../../plan/plan.ts'
import { rootQueryAsJson } from '../../query/root.ts'
import { formOf } from '../accept.ts'
import type { Handler } from '../context.ts'
import { jsonResponse, type Headers } from '../respond.ts'
import { requireAffordable } from '../query-budget.ts'
import { rowsResponse } from '../rows-response.ts'
import { keepPlan, keptPlan, type PlannedQuery } from './kept-plans.ts'
import { notKeptHeaders, refuseExported } from './not-kept.ts'
import { isSet, asksToExplain } from './parameters.ts'
import { requireParents } from './parents.ts'
import { entityOf, planOf, readQueryOf, type QueryEndpoint } from './plan-query.ts'
import { headersOf, openQuery, type QueryRequest } from './request.ts'
import { QueryError } from '../../lib/errors.ts'
import type { Settings } from '../../schema/settings.ts'
import { explainPlan } from '../../answer/explain.ts'
import { refuseToExplain } from '../../insight/assist/explanation.ts'

/** Answers a query of an endpoint. Failures are thrown before anything has been sent. */
export const answerQuery =
  (endpoint: QueryEndpoint): Handler =>
  async (call) => {
    const trace = call.get('trace')
    const request = await openQuery(call, endpoint)
    const kept = keptPlan(request)
    const query =
      kept?.query ?? (await trace.time('parse', () => readQueryOf(endpoint, request.parameters)))
    const entity = entityOf(endpoint, query)
    refuseExported(entity, query, call.get('settings'))
    const planned = kept ?? {
      query,
      plan: await trace.time('plan', () => planOf(endpoint, query, request)),
      prepared: null,
    }
    if (kept === null) keepPlan(request, planned)
    const { plan } = planned
    if (isSet(request.parameters, 'ast_only')) return treeResponse(request)
    if (explains(plan, request)) return explanationResponse(plan, request)
    const rows = await askFor(endpoint, planned, request)
    return respond(rows, request, notKeptHeaders(entity, query))
  }

/** The rows of a plan. @throws QueryError for more than MAX_ROWS, NotFound where the path names something unknown */
async function askFor(
  endpoint: QueryEndpoint,
  planned: PlannedQuery,
  request: QueryRequest,
): Promise<ResultSet> {
  const { plan } = planned
  const { settings, trace, prefix } = request.call.var
  const rows = await ask(request.database, plan, {
    total: isSet(request.parameters, 'include_total') || needsTotal(plan, settings),
    prefix,
    mostQueries: settings.MAX_QUERIES,
    kept: planned,
    compiling: (compile) => trace.time('plan', compile),
  })
  await refuseTooManyRows(plan, rows, settings)
  // Lines can say at their end that they are not all.
  if (formOf(request.call.req.header('accept')) !== 'ndjson') {
    await requireAffordable(request.database, plan, rows, settings, FEWER)
  }
  if (rows.empty || isOneGroup(plan)) await requireParents(endpoint, request)
  return rows
}

const FEWER =
  'Ask for fewer, page by page with limit, offset and order_by, or for NDJSON, which ends with a line that says so.'

/** Rows prove that what the path names exists; a count has a row even if it does not. */
const isOneGroup = (plan: Plan): boolean => plan.kind === 'select' && plan.groups?.length === 0

/** `ast_only`: the query in JSON syntax instead of its rows. */
function treeResponse(request: QueryRequest): Response {
  const query = rootQueryAsJson(request.parameters.get('query') ?? null)
  return jsonResponse(prettyJson(jsonText(query)), headersOf(request))
}

function respond(rows: ResultSet, request: QueryRequest, more: Headers): Promise<Response> {
  const { parameters, call } = request
  return rowsResponse(rows.pages, formOf(call.req.header('accept')) ?? 'json', {
    pretty: isSet(parameters, 'pretty'),
    columns: rows.columns,
    total: isSet(parameters, 'include_total') ? rows.total : null,
    whole: rows.whole,
    trace: call.get('trace'),
    headers: () => ({ ...headersOf(request), ...more }),
  })
}

type Limit = Pick<Settings, 'MAX_ROWS'>

/** Whether only counting can tell that an answer is short enough. */
const needsTotal = (plan: Plan, { MAX_ROWS: most }: Limit): boolean =>
  most > 0 && plan.kind !== 'nothing' && (plan.limit ?? Infinity) > most

/** @throws QueryError for an answer of more rows than the operator allows */
async function refuseTooManyRows(plan: Plan, { count }: ResultSet, limit: Limit): Promise<void> {
  if (!needsTotal(plan, limit)) return
  const rows = await count()
  if (rows <= limit.MAX_ROWS) return
  throw new QueryError(
    `The answer has ${rows} rows, and this service returns at most ${limit.MAX_ROWS}. Ask for fewer, or page by page with limit, offset and order_by.`,
  )
}

/** Whether the request asks for an explanation. A plan that reads nothing has none. @throws QueryError */
const explains = (plan: Plan, { parameters }: QueryRequest): plan is SelectPlan | CountsPlan =>
  asksToExplain(parameters) && plan.kind !== 'nothing'

/** @throws Denied for a restricted reader */
async function explanationResponse(
  plan: SelectPlan | CountsPlan,
  request: QueryRequest,
): Promise<Response> {
  refuseToExplain(request.rowPolicy !== null)
  const explanation = await explainPlan(request.database, plan)
  return jsonResponse(prettyJson(JSON.stringify(explanation)), headersOf(request))
}
