/** Tree → JSON syntax, as `ast_only` prints a query. */

import type { Json } from '../lib/json.ts'
import { unreachable } from '../lib/invariant.ts'
import { PAGING_CLAUSES } from './ast.ts'
import type { QueryColumn, Filter, Members, Operand, Paging, Query, SortKey } from './ast.ts'

/**
 * The query as PuppetDB's AST: `["from", entity, …]`, or its bare body where the endpoint names the
 * entity. The JSON reader reads the same tree back. Columns are always printed as a list.
 */
export function toJson(query: Query): Json {
  const body = bodyOf(query)
  if (query.entity === null) return body ?? []
  return ['from', query.entity, ...optional(body), ...pagingOf(query.paging)]
}

function bodyOf(query: Query): Json | null {
  return query.columns === null ? query.filter && filterOf(query.filter) : extractOf(query)
}

function extractOf({ columns, filter, groupBy }: Query): Json {
  return [
    'extract',
    (columns ?? []).map(columnOf),
    ...optional(filter && filterOf(filter)),
    ...optional(groupBy && ['group_by', ...groupBy.map(columnOf)]),
  ]
}

const optional = (clause: Json | null): readonly Json[] => (clause === null ? [] : [clause])

function pagingOf({ limit, offset, orderBy, written = PAGING_CLAUSES }: Paging): readonly Json[] {
  const values = { limit, offset, order_by: orderBy && orderBy.map(sortKeyOf) }
  return written.flatMap((name) => (values[name] === null ? [] : [[name, values[name]]]))
}

const sortKeyOf = ({ field, direction, isExplicit }: SortKey): Json =>
  direction === 'desc' || isExplicit ? [field, direction] : field

function columnOf(column: QueryColumn): Json {
  return column.kind === 'field' ? column.name : ['function', column.name, ...column.arguments]
}

function operandOf(operand: Operand): Json {
  switch (operand.kind) {
    case 'field':
    case 'function':
      return columnOf(operand)
    case 'state':
      return ['node', operand.name]
    case 'fact':
    case 'parameter':
      return [operand.kind, operand.name]
    default:
      return unreachable(operand)
  }
}

function filterOf(filter: Filter): Json {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return [filter.kind, ...filter.terms.map(filterOf)]
    case 'not':
      return ['not', filterOf(filter.term)]
    case 'compare':
      return [filter.operator, operandOf(filter.left), filter.value]
    case 'null':
      return ['null?', operandOf(filter.left), filter.value]
    case 'in-list':
      return ['in', membersOf(filter), ['array', filter.values]]
    case 'in-query':
      return ['in', membersOf(filter), subqueryOf(filter.query)]
    case 'related':
      return ['subquery', filter.entity, ...optional(filter.filter && filterOf(filter.filter))]
    default:
      return unreachable(filter)
  }
}

function membersOf({ left, isListed }: Members): Json {
  const members = left.map(operandOf)
  return members.length === 1 && !isListed ? members[0]! : members
}

function subqueryOf(query: Query): Json {
  if (query.style === 'from') return toJson(query)
  const filter = query.filter && filterOf(query.filter)
  const selection = [`select_${query.entity}`, ...optional(filter), ...pagingOf(query.paging)]
  return ['extract', (query.columns ?? []).map(columnOf), selection]
}
