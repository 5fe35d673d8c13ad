/** The query of a request as a tree, and the plan that its tree, endpoint and parameters make together. */

import { QueryError } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { parseTimestamp } from '../../lib/time.ts'
import { planQuestion } from '../../plan/build.ts'
import { planCounts } from '../../plan/counts.ts'
import type { Plan, Window } from '../../plan/plan.ts'
import type { Query } from '../../query/ast.ts'
import { entityNameOf } from '../../query/subqueries.ts'
import type { Dialect } from '../../query/dialect.ts'
import { parseJsonQuery, readQuery, readRootQuery } from '../../query/json.ts'
import { parseRootQuery } from '../../query/root.ts'
import { ENTITIES } from '../../schema/entities.ts'
import { withinParents, type Endpoint } from './endpoints.ts'
import { isSet, paging, type QueryParameters } from './parameters.ts'
import type { QueryRequest } from './request.ts'

/** Endpoints that take a query. */
export type QueryEndpoint = Extract<Endpoint, { kind: 'list' | 'counts' | 'root' }>

/** The tree of the parameter `query`. Only the root endpoint takes PQL. @throws QueryError */
export function readQueryOf(endpoint: QueryEndpoint, parameters: QueryParameters): Query {
  const query = parameters.get('query') ?? null
  const nothing = query === null || (typeof query === 'string' && query.trim() === '')
  if (endpoint.kind === 'root') {
    if (nothing) throw new QueryError("Missing required query parameter 'query'")
    return typeof query === 'string' ? parseRootQuery(query) : readRootQuery(query)
  }
  const source = nothing ? null : query
  const json = typeof source === 'string' ? parseJsonQuery(source) : source
  const unfiltered =
    endpoint.kind === 'list' &&
    ENTITIES.has(endpoint.entity) &&
    !endpoint.activeOnly &&
    endpoint.parents.length === 0
  return readQuery(json, dialectOf(endpoint, parameters), unfiltered)
}

/** The name of what a query asks about. */
export function entityOf(endpoint: QueryEndpoint, query: Query): string {
  if (endpoint.kind === 'counts') return 'events'
  return endpoint.kind === 'root' ? entityNameOf(query) : endpoint.entity
}

/** PuppetDB answers counts and distinct events with separate, older engines. */
function dialectOf(endpoint: QueryEndpoint, parameters: QueryParameters): Dialect {
  if (isSet(parameters, 'distinct_resources')) return 'distinct'
  if (endpoint.kind !== 'counts') return 'standard'
  return endpoint.aggregate ? 'legacy' : 'counts'
}

/** The plan of a query at an endpoint. @throws QueryError naming what can't be understood */
export function planOf(
  endpoint: QueryEndpoint,
  query: Query,
  { call, parameters, rowPolicy }: QueryRequest,
): Plan {
  if (endpoint.kind === 'counts') {
    return planCounts({
      aggregate: endpoint.aggregate,
      summarizeBy: summarizeByOf(parameters),
      countBy: textOrNull(parameters.get('count_by')),
      countsFilter: parameters.get('counts_filter') ?? null,
      filter: query.filter,
      distinct: distinctOf(parameters, query),
      paging: paging(parameters),
      rowPolicy,
    })
  }
  const root = endpoint.kind === 'root'
  return planQuestion({
    entity: entityOf(endpoint, query),
    query,
    within: root ? null : withinParents(endpoint.parents, call.req.param()),
    paging: paging(parameters),
    activeOnly: root || endpoint.activeOnly,
    factsExpiration: !root && isSet(parameters, 'include_facts_expiration'),
    legacyNames: call.get('prefix') !== '',
    distinct: distinctOf(parameters, query),
    rowPolicy,
  })
}

const textOrNull = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : String(value)

function summarizeByOf(parameters: QueryParameters): string {
  const value = textOrNull(parameters.get('summarize_by'))
  if (value === null) throw new QueryError("Missing required query parameter 'summarize_by'")
  return value
}

/** `distinct_resources` and its window: all three parameters or none, even if the first one is false. */
function distinctOf(parameters: QueryParameters, query: Query): Window | null {
  const [start, end] = ['distinct_start_time', 'distinct_end_time'].map((name) =>
    parameters.get(name),
  )
  const times = [start, end].filter((time) => time !== undefined)
  if (!parameters.has('distinct_resources')) {
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
  return isSet(parameters, 'distinct_resources')
    ? { start: from!, end: to!, latest: latestAlone(query) }
    : null
}

/** The value of `latest_report?` if that is the whole query. */
function latestAlone({ filter }: Query): boolean | null {
  const alone =
    filter?.kind === 'compare' &&
    filter.operator === '=' &&
    filter.left.kind === 'field' &&
    filter.left.name === 'latest_report?'
  return alone ? filter.value !== false : null
}
