/** Tree → PQL, for the tests of PQL's parser. */

import type { Json } from '../../worker/lib/json.ts'
import { isNumber } from '../../worker/lib/lossless.ts'
import { unreachable } from '../../worker/lib/invariant.ts'
import type {
  Comparison,
  QueryColumn,
  Filter,
  Members,
  Operand,
  Paging,
  Query,
  SortKey,
} from '../../worker/query/ast.ts'
import { OPERANDS } from '../../worker/query/ast.ts'
import { isClause } from '../../worker/query/clause.ts'
import { DOTTED_FIELDS, PQL_ENTITIES, PQL_FUNCTIONS } from '../../worker/query/pql-words.ts'

/**
 * The query in PQL; null where PQL cannot express it.
 *
 * PQL has no entities outside its grammar (`producers`), no `["node","active"]`, no facts, parameters and
 * functions in a filter, no null, objects and empty lists as values, and no names that are not plain
 * fields. A `select_…` subquery is printed as the equal `from`.
 */
export function toPql(query: Query): string | null {
  try {
    return queryText(query)
  } catch (error) {
    if (error instanceof Inexpressible) return null
    throw error
  }
}

/** Thrown from any depth of the printer, and caught in this file. */
class Inexpressible extends Error {}

function queryText({ entity, columns, filter, groupBy, paging }: Query): string {
  if (groupBy !== null && columns === null) throw new Inexpressible()
  const projection = columns === null ? '' : `[${columns.map(columnText).join(', ')}]`
  const clauses = [
    ...(filter === null ? [] : [filterText(filter)]),
    ...(groupBy === null ? [] : [`group by ${groupBy.map(columnText).join(', ')}`]),
    ...pagingTexts(paging),
  ]
  return `${entityText(entity)}${projection} ${blockText(clauses)}`
}

const blockText = (clauses: readonly string[]) =>
  clauses.length === 0 ? '{ }' : `{ ${clauses.join(' ')} }`

function entityText(entity: string | null): string {
  if (entity === null || !PQL_ENTITIES.includes(entity)) throw new Inexpressible()
  return entity
}

function pagingTexts({ limit, offset, orderBy }: Paging): readonly string[] {
  if (orderBy?.length === 0) throw new Inexpressible()
  return [
    ...(limit === null ? [] : [`limit ${limit}`]),
    ...(offset === null ? [] : [`offset ${offset}`]),
    ...(orderBy === null ? [] : [`order by ${orderBy.map(sortKeyText).join(', ')}`]),
  ]
}

const sortKeyText = ({ field, direction, isExplicit }: SortKey) =>
  fieldText(field) + (direction === 'desc' || isExplicit ? ` ${direction}` : '')

function columnText(column: QueryColumn): string {
  if (column.kind === 'field') return fieldText(column.name)
  if (!PQL_FUNCTIONS.includes(column.name)) throw new Inexpressible()
  return `${column.name}(${column.arguments.map(argumentText).join(', ')})`
}

function argumentText(argument: Json, index: number): string {
  if (typeof argument !== 'string') throw new Inexpressible()
  return index === 0 && isPlainField(argument) ? argument : JSON.stringify(argument)
}

const isPlainField = (name: string) => /^[A-Za-z0-9_]+\??$/.test(name)

/** A part of a dotted name that needs no quotes in any position. */
const PLAIN_PART = /^[^\s.,"'[\](){}!<=>~]+(?:\[[0-9]+\])?$/

function fieldText(name: string): string {
  const [first = '', ...path] = name.split('.')
  const isPath = DOTTED_FIELDS.includes(first) && path.every((part) => PLAIN_PART.test(part))
  if (!isPlainField(name) && !isPath) throw new Inexpressible()
  return name
}

function operandText(operand: Operand): string {
  if (operand.kind !== 'field') throw new Inexpressible()
  return fieldText(operand.name)
}

/** A chain of one term equals that term. */
const unchained = (filter: Filter): Filter =>
  (filter.kind === 'and' || filter.kind === 'or') && filter.terms.length === 1
    ? unchained(filter.terms[0]!)
    : filter

function filterText(written: Filter): string {
  const filter = unchained(written)
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.map((term) => termText(term, filter.kind)).join(` ${filter.kind} `)
    case 'not':
      return negationText(filter.term)
    case 'compare':
      return `${operandText(filter.left)} ${filter.operator} ${comparedText(filter)}`
    case 'null':
      return `${operandText(filter.left)} ${filter.value ? 'is null' : 'is not null'}`
    case 'in-list':
      return `${membersText(filter)} in ${literalText(filter.values)}`
    case 'in-query':
      if (filter.query.columns === null) throw new Inexpressible()
      return `${membersText(filter)} in ${queryText(filter.query)}`
    case 'related': {
      const inner = filter.filter === null ? [] : [filterText(filter.filter)]
      return `${entityText(filter.entity)} ${blockText(inner)}`
    }
    default:
      return unreachable(filter)
  }
}

/** A member of a chain, in parentheses where it is a chain of the other operator. */
function termText(written: Filter, chain: 'and' | 'or'): string {
  const term = unchained(written)
  const text = filterText(term)
  const bindsTighter = chain === 'or' && term.kind === 'and'
  return isChain(term) && !bindsTighter ? `(${text})` : text
}

const isChain = (filter: Filter) => filter.kind === 'and' || filter.kind === 'or'

function negationText(written: Filter): string {
  const term = unchained(written)
  if (term.kind === 'compare' && (term.operator === '=' || term.operator === '~')) {
    return `${operandText(term.left)} !${term.operator} ${literalText(term.value)}`
  }
  return isChain(term) ? `!(${filterText(term)})` : `!${filterText(term)}`
}

const isString = (value: Json) => typeof value === 'string'

/** What PQL can write behind a comparison, by what that takes. */
const FITS: Readonly<Record<(typeof OPERANDS)[Comparison], (value: Json) => boolean>> = {
  literal: () => true,
  pattern: isString,
  paths: (value) => isClause(value) && value.every(isString),
  rank: (value) => isString(value) || isNumber(value),
}

function comparedText({ operator, value }: Extract<Filter, { kind: 'compare' }>): string {
  if (!FITS[OPERANDS[operator]](value)) throw new Inexpressible()
  return literalText(value)
}

function membersText({ left, isListed }: Members): string {
  const [only, ...others] = left.map(operandText)
  if (only === undefined) throw new Inexpressible()
  return others.length === 0 && !isListed ? only : `[${[only, ...others].join(', ')}]`
}

function literalText(value: Json): string {
  if (isNumber(value)) return numberText(String(value))
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (!isClause(value) || value.length === 0) throw new Inexpressible()
  return `[${value.map(literalText).join(', ')}]`
}

/** PQL requires a fraction before an exponent: 1e+21 is written 1.0e+21. */
function numberText(value: string): string {
  if (!Number.isFinite(Number(value)) && /[^-\d]/.test(value)) throw new Inexpressible()
  return value.replace(/^(-?\d+)e/, '$1.0e')
}
