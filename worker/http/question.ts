/** What a request asks: the tree of its query, and the plan that the tree, the endpoint and the parameters make together. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { parseTimestamp } from '../lib/time.ts'
import { planQuestion } from '../plan/build.ts'
import { planCounts } from '../plan/counts.ts'
import type { RowPolicy, Plan, Window } from '../plan/plan.ts'
import type { Query } from '../query/ast.ts'
import type { Dialect } from '../query/dialect.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../query/json.ts'
import { parseRootQuery } from '../query/root.ts'
import { withinParents, type Endpoint } from './endpoints.ts'
import { flag, paging, type Sent } from './parameters.ts'

/** Endpoints that take a query. */
export type QueryEndpoint = Extract<Endpoint, { kind: 'list' | 'counts' | 'root' }>

/** The tree of the query that was sent. PQL is spoken at the root only. */
export function readQueryOf(endpoint: QueryEndpoint, sent: Sent): Query {
  const query = sent.get('query') ?? null
  const nothing = query === null || (typeof query === 'string' && query.trim() === '')
  if (endpoint.kind === 'root') {
    if (nothing) throw new QueryError("Missing required query parameter 'query'")
    return typeof query === 'string' ? parseRootQuery(query) : readRootQuery(query)
  }
  const asked = nothing ? null : query
  const json = typeof asked === 'string' ? parseJsonQuery(asked) : asked
  return readQuery(json, dialectOf(endpoint, sent))
}

/** PuppetDB answers counts and distinct events by older engines of their own. */
function dialectOf(endpoint: QueryEndpoint, sent: Sent): Dialect {
  if (flag(sent, 'distinct_resources')) return 'distinct'
  if (endpoint.kind !== 'counts') return 'standard'
  return endpoint.aggregate ? 'legacy' : 'counts'
}

/** The plan of a query as an endpoint takes it. @throws QueryError that says what of it can't be understood */
export function planOf(
  endpoint: QueryEndpoint,
  query: Query,
  {
    names,
    prefix,
    rowPolicy,
  }: {
    readonly names: Record<string, string>
    readonly prefix: string
    readonly rowPolicy: RowPolicy | null
  },
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
      rowPolicy,
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
    rowPolicy,
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
function distinctOf(sent: Sent, query: Query): Window | null {
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
