/** Random questions: what is asked, as the evaluator understands it, and the request that asks it. */

import type { Json } from '../../../worker/lib/json.ts'
import { jsonText } from '../../../worker/lib/lossless.ts'
import { NO_PAGING, type Filter, type Query } from '../../../worker/query/ast.ts'
import { toPql } from '../../query/print-pql.ts'
import { toJson } from '../../../worker/query/print.ts'
import type { CountsAsked } from '../evaluator/counts.ts'
import type { Window } from '../evaluator/distinct.ts'
import type { EntityName } from '../evaluator/schema.ts'
import type { Frame } from '../evaluator/select.ts'
import { countsFor } from './counts.ts'
import { filterFor, type Making } from './filters.ts'
import { legacyFilter, queryFor } from './queries.ts'

export type Asked =
  | ({ readonly kind: 'rows'; readonly entity: EntityName; readonly query: Query } & Frame)
  | ({ readonly kind: 'counts' } & CountsAsked)

export interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly params: Readonly<Record<string, Json>>
  /** The fields that rows are ordered by; null where no order is asked for. */
  readonly order: readonly string[] | null
  /** Whether the number of rows is asked for. */
  readonly total: boolean
  readonly asked: Asked
}

const JSON_PARAMETERS = ['query', 'order_by', 'counts_filter']

/** A question of any endpoint. */
export function questionFor(making: Making): Question {
  return making.draw.one(
    [10, () => listQuestion(making)],
    [8, () => rootQuestion(making)],
    [2, () => distinctQuestion(making)],
    [3, () => countsQuestion(making)],
  )
}

/** A GET has texts in its URL, a POST has JSON in its body. */
function request(
  { draw }: Making,
  path: string,
  params: Readonly<Record<string, Json>>,
): Pick<Question, 'method' | 'path' | 'params'> {
  if (draw.chance(0.2)) return { method: 'POST', path, params }
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    JSON_PARAMETERS.includes(name) && typeof value !== 'string' ? jsonText(value) : String(value),
  ])
  return { method: 'GET', path, params: Object.fromEntries(texts) as Record<string, string> }
}

const withTotal = (total: boolean): Record<string, Json> => (total ? { include_total: true } : {})

const orderNames = (query: Query): string[] | null =>
  query.paging.orderBy?.map(({ field }) => field) ?? null

const pagingParameters = ({ paging }: Query): Record<string, Json> => ({
  ...(paging.limit === null ? {} : { limit: paging.limit }),
  ...(paging.offset === null ? {} : { offset: paging.offset }),
  ...(paging.orderBy === null
    ? {}
    : { order_by: paging.orderBy.map(({ field, direction }) => ({ field, order: direction })) }),
})

/** The query without its entity and paging, as an entity's own endpoint takes it; nothing where it asks nothing. */
function bodyOf(query: Query): Record<string, Json> {
  const body = toJson({ ...query, entity: null, paging: NO_PAGING })
  return Array.isArray(body) && body.length === 0 ? {} : { query: body }
}

interface Place {
  readonly path: string
  readonly entity: EntityName
  readonly within: Filter | null
}

const equality = (name: string, value: Json): Filter => ({
  kind: 'compare',
  operator: '=',
  left: { kind: 'field', name },
  value,
})

function placeFor({ draw, samples, common }: Making): Place {
  const named = (entity: EntityName, parent: 'environments' | 'producers', name: string): Place => {
    const value = draw.pick(samples[parent])['name']!
    const path = `/query/v4/${parent}/${encodeURIComponent(String(value))}/${entity}`
    return { path, entity, within: equality(name, value) }
  }
  const whole = (entity: EntityName): Place => ({
    path: `/query/v4/${entity}`,
    entity,
    within: null,
  })
  return draw.one<Place>(
    [8, () => whole('reports')],
    [8, () => whole('events')],
    [6, () => whole('nodes')],
    [1, () => whole('environments')],
    [1, () => whole('producers')],
    [1, () => named('reports', 'environments', 'environment')],
    [1, () => named('events', 'environments', 'environment')],
    [1, () => named('reports', 'producers', 'producer')],
    // PuppetDB 7.12.1 fails here.
    [common ? 0 : 1, () => eventsOfReport(String(draw.pick(samples.reports)['hash']))],
  )
}

const eventsOfReport = (hash: string): Place => ({
  path: `/query/v4/reports/${hash}/events`,
  entity: 'events',
  within: equality('report', hash),
})

function listQuestion(making: Making): Question {
  const { path, entity, within } = placeFor(making)
  const query = queryFor(making, entity)
  const total = making.draw.chance(0.3)
  const params = { ...bodyOf(query), ...pagingParameters(query), ...withTotal(total) }
  return {
    ...request(making, path, params),
    order: orderNames(query),
    total,
    asked: {
      kind: 'rows',
      entity,
      query,
      within,
      activeOnly: path === '/query/v4/nodes',
      distinct: null,
    },
  }
}

/** The root is asked in either syntax, with paging in the query, in the URL, or the better part in the URL. */
function rootQuestion(making: Making): Question {
  const { draw, common } = making
  const entities = ['reports', 'reports', 'events', 'events', 'nodes', 'environments'] as const
  const entity = common ? draw.pick(entities) : draw.pick([...entities, 'producers'] as const)
  const query: Query = { ...queryFor(making, entity), entity }
  const total = draw.chance(0.2)
  const paged = draw.chance(0.7)
  const written = paged ? query : { ...query, paging: NO_PAGING }
  // PuppetDB's PQL takes either a group or a page.
  const speakable = !(common && query.groupBy && written.paging !== NO_PAGING)
  const pql = speakable && draw.chance(0.6) ? toPql(written) : null
  const text = pql ?? toJson(written)
  const params = { query: text, ...(paged ? {} : pagingParameters(query)), ...withTotal(total) }
  return {
    ...request(making, '/query/v4', params),
    order: orderNames(query),
    total,
    asked: { kind: 'rows', entity, query, within: null, activeOnly: true, distinct: null },
  }
}

function windowFor({ draw, samples }: Making, filter: Filter | null): Window {
  const [start, end] = [draw.pick(samples.events), draw.pick(samples.events)]
    .map((event) => String(event['timestamp']))
    .sort()
  const alone =
    filter?.kind === 'compare' &&
    filter.operator === '=' &&
    filter.left.kind === 'field' &&
    filter.left.name === 'latest_report?'
  return { start: start!, end: end!, latest: alone ? filter.value !== false : null }
}

const windowParameters = ({ start, end }: Window): Record<string, Json> => ({
  distinct_resources: true,
  distinct_start_time: start,
  distinct_end_time: end,
})

/** The newest events of each resource property; an older engine, which projects nothing, answers these. */
function distinctQuestion(making: Making): Question {
  const filter = legacyFilter(making)
  const query: Query = {
    ...queryFor(making, 'events'),
    columns: null,
    groupBy: null,
    filter,
    paging: NO_PAGING,
  }
  const distinct = windowFor(making, filter)
  const params = { ...bodyOf(query), ...windowParameters(distinct) }
  return {
    ...request(making, '/query/v4/events', params),
    order: null,
    total: false,
    asked: { kind: 'rows', entity: 'events', query, within: null, activeOnly: false, distinct },
  }
}

function countsQuestion(making: Making): Question {
  const { draw } = making
  const aggregate = draw.chance(0.4)
  const old = aggregate || draw.chance(0.2)
  const filter = old
    ? legacyFilter(making)
    : draw.chance(0.8)
      ? filterFor(making, 'events', 2)
      : null
  const distinct = draw.chance(0.3) && old ? windowFor(making, filter) : null
  const counts = countsFor(making, { aggregate, filter, distinct })
  const total = !aggregate && draw.chance(0.3)
  const query: Query = {
    entity: null,
    columns: null,
    filter,
    groupBy: null,
    paging: counts.paging,
    style: 'from',
  }
  const params = {
    ...bodyOf(query),
    summarize_by: counts.summarizeBy.join(','),
    ...(counts.countBy === 'certname' || draw.chance(0.2) ? { count_by: counts.countBy } : {}),
    ...(counts.countsFilter ? { counts_filter: counts.countsFilter } : {}),
    ...(distinct ? windowParameters(distinct) : {}),
    ...pagingParameters(query),
    ...withTotal(total),
  }
  const path = `/query/v4/${aggregate ? 'aggregate-event-counts' : 'event-counts'}`
  const order = orderNames(query)?.filter((name) => !name.includes('_') && name !== 'certname')
  return {
    ...request(making, path, params),
    order: order ?? null,
    total,
    asked: { kind: 'counts', ...counts },
  }
}
