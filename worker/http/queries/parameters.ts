/** The parameters of query endpoints: which family of endpoints takes which, and how each is read. */

import { QueryError } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { isRecord, jsonText } from '../../lib/lossless.ts'
import { NO_PAGING, type Paging, type SortKey } from '../../query/ast.ts'

/** Parameters by name: texts in a URL, any JSON in a POST body. */
export type QueryParameters = ReadonlyMap<string, Json>

const COMMON = [
  'pretty',
  'origin',
  'timeout',
  'explain',
  'optimize_drop_unused_joins',
  'include_facts_expiration',
  'include_package_inventory',
]
const TYPICAL = [...COMMON, 'query', 'limit', 'offset', 'order_by', 'include_total']
const DISTINCT = ['distinct_resources', 'distinct_start_time', 'distinct_end_time']
const COUNTS = ['summarize_by', 'count_by', 'counts_filter', ...DISTINCT]

/** The parameters of each family of endpoints. */
export const PARAMETERS = {
  common: COMMON,
  typical: TYPICAL,
  events: [...TYPICAL, ...DISTINCT],
  counts: [...TYPICAL, ...COUNTS],
  aggregates: [...COMMON.filter((name) => name !== 'pretty'), 'query', ...COUNTS],
  root: [...TYPICAL, 'ast_only'],
} as const
export type ParameterFamily = keyof typeof PARAMETERS

/** True for the word `true` in any case; anything else is false, as with PuppetDB. */
export function isSet(parameters: QueryParameters, name: string): boolean {
  return String(parameters.get(name) ?? '').toLowerCase() === 'true'
}

const shown = (value: Json): string => (typeof value === 'string' ? value : jsonText(value))
const illegal = (value: Json, name: string, expected: string): QueryError =>
  new QueryError(`Illegal value '${shown(value)}' for :${name}; expected ${expected}`)

const WHOLE = /^\+?\d{1,15}$/
const wholeNumber = (value: Json): number | null =>
  (typeof value === 'number' || typeof value === 'string') && WHOLE.test(String(value))
    ? Number(value)
    : null

/** `limit`, `offset` and `order_by`. */
export function paging(parameters: QueryParameters): Paging {
  return {
    ...NO_PAGING,
    limit: limitOf(parameters.get('limit')),
    offset: offsetOf(parameters.get('offset')),
    orderBy: orderOf(parameters.get('order_by')),
  }
}

function limitOf(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null
  const limit = wholeNumber(value)
  if (!limit) throw illegal(value, 'limit', 'a positive non-zero integer.')
  return limit
}

function offsetOf(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null
  const offset = wholeNumber(value)
  if (offset === null) throw illegal(value, 'offset', 'a non-negative integer.')
  return offset
}

function orderOf(value: Json | undefined): readonly SortKey[] | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) throw illegal(value, 'order_by', 'an array of maps.')
  const keys = value as readonly Json[]
  if (!keys.every(isRecord)) throw illegal(value, 'order_by', 'an array of maps.')
  return keys.length === 0 ? null : keys.map((key) => sortKey(key, value))
}

type JsonMap = { readonly [key: string]: Json }

function sortKey({ field, order, ...others }: JsonMap, whole: Json): SortKey {
  const wrong = (what: string): QueryError =>
    new QueryError(`Illegal value '${shown(whole)}' in :order_by; ${what}`)
  const [other] = Object.keys(others)
  if (other !== undefined) throw wrong(`unknown key '${other}'.`)
  if (typeof field !== 'string') throw wrong('missing required key field.')
  const word = order ?? 'asc'
  const direction = typeof word === 'string' ? word.toLowerCase() : ''
  if (direction !== 'asc' && direction !== 'desc') {
    throw wrong("'order' must be either 'asc' or 'desc'")
  }
  return { field, direction }
}

/** Whether `explain=analyze` was sent. @throws QueryError for any other value */
export function asksToExplain(parameters: QueryParameters): boolean {
  const value = parameters.get('explain')
  if (value === undefined) return false
  if (value !== 'analyze') throw illegal(value, 'explain', '`analyze`.')
  return true
}

/** The operator's timeouts in seconds; 0 is none. */
interface Timeouts {
  readonly QUERY_TIMEOUT: number
  readonly MAX_QUERY_TIMEOUT: number
}

/** Seconds after which a query is given up: its own timeout or the default, at most the operator's maximum. Null is never. */
export function timeout(
  parameters: QueryParameters,
  { QUERY_TIMEOUT, MAX_QUERY_TIMEOUT }: Timeouts,
): number | null {
  const seconds = Math.min(
    ownTimeout(parameters) ?? (QUERY_TIMEOUT || Infinity),
    MAX_QUERY_TIMEOUT || Infinity,
  )
  return seconds === Infinity ? null : seconds
}

/** The parameter `timeout` in seconds, Infinity for 0; null without it. */
function ownTimeout(parameters: QueryParameters): number | null {
  const value = parameters.get('timeout')
  if (value === undefined || value === null) return null
  const seconds = value === '' ? NaN : Number(value)
  if (!(seconds >= 0)) {
    throw new QueryError(`Query timeout must be non-negative number, not ${shown(value)}`)
  }
  return seconds === 0 ? Infinity : seconds
}
