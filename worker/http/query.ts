/** The corridor of reading: request → tree → plan → SQL → rows → stream. */

import { invariant, unreachable } from '../lib/invariant.ts'
import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { NotFound } from '../lib/errors.ts'
import { parseTimestamp } from '../lib/time.ts'
import { prettyJson } from '../lib/pretty.ts'
import { planQuestion } from '../plan/build.ts'
import { planCounts } from '../plan/counts.ts'
import type { Distinct, Plan } from '../plan/plan.ts'
import { NO_PAGING, type Query } from '../query/ast.ts'
import type { Dialect } from '../query/dialect.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../query/json.ts'
import { parseRootQuery } from '../query/root.ts'
import { toJson } from '../query/print.ts'
import { compile } from '../sql/compile.ts'
import { openAnswer } from '../store/answer.ts'
import { Database } from '../store/database.ts'
import { requireKnown } from '../store/existence.ts'
import { explain } from '../store/explain.ts'
import { readPart } from '../store/read-part.ts'
import { textReader } from '../store/texts.ts'
import { withinParents, type Endpoint } from './endpoints.ts'
import { explains, flag, paging, refuseUnknown, timeout, type Sent } from './parameters.ts'
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
  timeout(sent)
  const database = Database.nearest(binding, request.headers.get('x-d1-bookmark'))
  switch (endpoint.kind) {
    case 'list':
    case 'counts':
    case 'root': {
      const query = readQueryOf(endpoint, sent)
      if (flag(sent, 'ast_only')) return jsonResponse(prettyJson(JSON.stringify(toJson(query))))
      const plan = planOf(endpoint, query, asked, sent)
      return answerPlan(database, plan, asked, sent)
    }
    case 'one':
      return answerOne(database, asked)
    case 'part': {
      const text = await readPart(database, names['hash'] ?? '', endpoint.part)
      return jsonResponse(flag(sent, 'pretty') ? prettyJson(text) : text, costHeaders(database))
    }
    default:
      return unreachable(endpoint)
  }
}

const NO_QUERY: Query = {
  entity: null,
  columns: null,
  filter: null,
  groupBy: null,
  paging: NO_PAGING,
  style: 'from',
}

/** The tree of the query that was sent. PQL is spoken at the root only. */
function readQueryOf(endpoint: Endpoint, sent: Sent): Query {
  const text = sent.get('query') ?? null
  if (endpoint.kind === 'root') {
    if (text === null || text === '')
      throw new QueryError("Missing required query parameter 'query'")
    return typeof text === 'string' ? parseRootQuery(text) : readRootQuery(text)
  }
  const json: Json = typeof text === 'string' && text.trim() !== '' ? parseJsonQuery(text) : text
  return json === '' || json === null ? NO_QUERY : readQuery(json, dialectOf(endpoint, sent))
}

/** PuppetDB answers counts and distinct events by older engines of their own. */
function dialectOf(endpoint: Endpoint, sent: Sent): Dialect {
  if (flag(sent, 'distinct_resources')) return 'distinct'
  if (endpoint.kind !== 'counts') return 'standard'
  return endpoint.aggregate ? 'legacy' : 'counts'
}

function planOf(
  endpoint: Extract<Endpoint, { kind: 'list' | 'counts' | 'root' }>,
  query: Query,
  { names, prefix }: QueryRequest,
  sent: Sent,
): Plan {
  if (endpoint.kind === 'counts') {
    return planCounts({
      aggregate: endpoint.aggregate,
      summarizeBy: summarizeByOf(sent),
      countBy: textOrNull(sent.get('count_by')),
      countsFilter: sent.get('counts_filter') ?? null,
      filter: query.filter,
      distinct: distinctOf(sent, query),
      paging: paging(sent),
    })
  }
  const root = endpoint.kind === 'root'
  return planQuestion({
    entity: root ? (query.entity ?? '').replaceAll('-', '_') : endpoint.entity,
    query,
    within: root ? null : withinParents(endpoint.parents, names),
    paging: paging(sent),
    activeOnly: root || endpoint.activeOnly,
    legacyNames: prefix !== '',
    distinct: distinctOf(sent, query),
  })
}

const textOrNull = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : String(value)

function summarizeByOf(sent: Sent): string {
  const value = textOrNull(sent.get('summarize_by'))
  if (value === null) throw new QueryError("Missing required query parameter 'summarize_by'")
  return value
}

/** `distinct_resources` and its window, which come all three or not at all. */
function distinctOf(sent: Sent, query: Query): Distinct | null {
  const [start, end] = ['distinct_start_time', 'distinct_end_time'].map((name) => sent.get(name))
  const times = [start, end].filter((time) => time !== undefined)
  if (!flag(sent, 'distinct_resources')) {
    if (times.length === 0) return null
    throw new QueryError(
      "'distinct_resources' query parameter must accompany parameters 'distinct_start_time' and 'distinct_end_time'",
    )
  }
  if (times.length < 2) {
    throw new QueryError(
      "'distinct_resources' query parameter requires accompanying parameters 'distinct_start_time' and 'distinct_end_time'",
    )
  }
  const [from, to] = times.map((time) =>
    typeof time === 'number' ? time : parseTimestamp(String(time)),
  )
  if (from === null || to === null) {
    throw new QueryError(
      `query parameters 'distinct_start_time' and 'distinct_end_time' must be valid datetime strings: ${String(start)} ${String(end)}`,
    )
  }
  return { start: from!, end: to!, latest: latestAlone(query) }
}

/** The truth asked for where `latest_report?` is the whole query. */
function latestAlone({ filter }: Query): boolean | null {
  const alone =
    filter?.kind === 'compare' &&
    filter.operator === '=' &&
    filter.left.kind === 'field' &&
    filter.left.name === 'latest_report?'
  return alone ? filter.value !== false : null
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
  if (endpoint.kind !== 'list' || endpoint.parents.length === 0) return
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
  const { thing, parameter } = endpoint.parent
  const name = names[parameter] ?? ''
  const plan = planQuestion({
    entity: endpoint.entity,
    query: {
      ...NO_QUERY,
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
