/** The corridor of reading: request → tree → plan → SQL → rows → stream. */

import { NotFound } from '../lib/errors.ts'
import { invariant, unreachable } from '../lib/invariant.ts'
import { prettyJson } from '../lib/pretty.ts'
import { planQuestion } from '../plan/build.ts'
import type { Plan } from '../plan/plan.ts'
import { NO_PAGING } from '../query/ast.ts'
import { toJson } from '../query/print.ts'
import { compile } from '../sql/compile.ts'
import { openAnswer } from '../store/answer.ts'
import { Database } from '../store/database.ts'
import { requireKnown } from '../store/existence.ts'
import { explain } from '../store/explain.ts'
import { readPart } from '../store/read-part.ts'
import { textReader } from '../store/texts.ts'
import type { Endpoint } from './endpoints.ts'
import { explains, flag, refuseUnknown, timeout, type Sent } from './parameters.ts'
import { planOf, readQueryOf, WHOLE_ENTITY } from './question.ts'
import { costHeaders, jsonResponse, rowsResponse } from './respond.ts'
import { readSent } from './sent.ts'

/** A request to a query endpoint, taken apart by the router. */
export interface QueryRequest {
  readonly request: Request
  readonly endpoint: Endpoint
  /** Names in the path, by their parameter. */
  readonly names: Record<string, string>
  /** What `/query/v4` hangs under: `` or `/pdb`. Clients of the latter know the agent's version as `puppet_version`. */
  readonly prefix: string
  readonly binding: D1Database
}

/** Answers a query of any endpoint. Errors of our vocabulary are thrown, before anything has been sent. */
export async function answerQuery(asked: QueryRequest): Promise<Response> {
  const { request, endpoint, names, binding } = asked
  const sent = await readSent(request)
  refuseUnknown(sent, endpoint.takes)
  const bookmark = request.headers.get('x-d1-bookmark')
  const database = Database.nearest(binding, bookmark, timeout(sent))
  switch (endpoint.kind) {
    case 'list':
    case 'counts':
    case 'root': {
      const query = readQueryOf(endpoint, sent)
      const plan = planOf(endpoint, query, asked, sent)
      if (flag(sent, 'ast_only')) return jsonResponse(prettyJson(JSON.stringify(toJson(query))))
      return answerPlan(database, plan, asked, sent)
    }
    case 'one':
      return answerOne(database, asked)
    case 'part': {
      await requireParents(database, asked)
      const text = await readPart(database, names['hash'] ?? '', endpoint.part)
      return jsonResponse(flag(sent, 'pretty') ? prettyJson(text) : text, costHeaders(database))
    }
    default:
      return unreachable(endpoint)
  }
}

/** The response to a plan. @throws NotFound where there are no rows because something in the path is unknown */
async function answerPlan(
  database: Database,
  plan: Plan,
  asked: QueryRequest,
  sent: Sent,
): Promise<Response> {
  const pretty = flag(sent, 'pretty')
  if (plan.kind === 'nothing') {
    await requireParents(database, asked)
    const total = flag(sent, 'include_total') ? { 'x-records': String(plan.rows.length) } : {}
    const text = JSON.stringify(plan.rows)
    return jsonResponse(pretty ? prettyJson(text) : text, total)
  }
  const selects = await compile(plan, textReader(database))
  if (explains(sent)) {
    return jsonResponse(prettyJson(JSON.stringify(await explain(database, selects))))
  }
  const options = { total: flag(sent, 'include_total'), prefix: asked.prefix }
  const answers = await Promise.all(selects.map((select) => openAnswer(database, select, options)))
  const counted = plan.kind === 'select' && plan.groups?.length === 0
  if (counted || answers.every(({ empty }) => empty)) await requireParents(database, asked)
  return rowsResponse(answers, { pretty, headers: costHeaders(database) })
}

/** Rows show that what the path names is known; where there are none, or one that is there always, it has to be looked up. */
async function requireParents(
  database: Database,
  { endpoint, names }: QueryRequest,
): Promise<void> {
  if (!('parents' in endpoint) || endpoint.parents.length === 0) return
  await requireKnown(
    database,
    endpoint.parents.map(({ thing, parameter }) => ({ thing, name: names[parameter] ?? '' })),
  )
}

/** One node, environment or producer by name. */
async function answerOne(
  database: Database,
  { endpoint, names, prefix }: QueryRequest,
): Promise<Response> {
  invariant(endpoint.kind === 'one', 'the endpoint is of one thing')
  const { thing, parameter } = endpoint.named
  const name = names[parameter] ?? ''
  const plan = planQuestion({
    entity: endpoint.entity,
    query: {
      ...WHOLE_ENTITY,
      filter: {
        kind: 'compare',
        operator: '=',
        left: { kind: 'field', name: endpoint.entity === 'nodes' ? 'certname' : 'name' },
        value: name,
      },
    },
    within: null,
    paging: NO_PAGING,
    activeOnly: false,
    legacyNames: prefix !== '',
    distinct: null,
  })
  if (plan.kind === 'nothing') throw new NotFound(thing, name)
  const [select] = await compile(plan, textReader(database))
  const { pages } = await openAnswer(database, select!, { total: false, prefix })
  for await (const [row] of pages) {
    if (row !== undefined) return jsonResponse(prettyJson(row), costHeaders(database))
  }
  throw new NotFound(thing, name)
}
