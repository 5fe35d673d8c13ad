/** The filters that PuppetDB adds to a query or removes from it before answering. Trees in, trees out. */

import { comparison, type Filter, type Operand, type Query } from '../query/ast.ts'

const isField = (operand: Operand, name: string): boolean =>
  operand.kind === 'field' && operand.name === name

/** Whether a filter mentions such an operand; `within` subqueries too, or at this level alone. */
function mentions(
  filter: Filter | null,
  such: (operand: Operand) => boolean,
  within = false,
): boolean {
  switch (filter?.kind) {
    case 'and':
    case 'or':
      return filter.terms.some((term) => mentions(term, such, within))
    case 'not':
      return mentions(filter.term, such, within)
    case 'compare':
    case 'null':
      return such(filter.left)
    case 'in-list':
      return filter.left.some(such)
    case 'in-query':
      return within && mentions(filter.query.filter, such, within)
    case 'related':
      return within && mentions(filter.filter, such, within)
    default:
      return false
  }
}

/** The conjunction of two filters; either may be null. */
export const both = (one: Filter | null, other: Filter | null): Filter | null =>
  one && other ? { kind: 'and', terms: [one, other] } : (one ?? other)

/** Hides reports of plans from a query of reports that does not mention `type`. */
export const agentReportsOnly = (filter: Filter | null): Filter | null =>
  mentions(filter, (operand) => isField(operand, 'type'))
    ? filter
    : both(filter, comparison('type', 'agent'))

/** Event counts include reports of plans: adds the type `any` to each subquery of reports. */
export function anyTypeWithin(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map(anyTypeWithin) }
    case 'not':
      return { kind: 'not', term: anyTypeWithin(filter.term) }
    case 'in-query': {
      const { query } = filter
      return { ...filter, query: { ...query, filter: ofAnyType(query.entity, query.filter) } }
    }
    case 'related':
      return { ...filter, filter: ofAnyType(filter.entity, filter.filter) }
    default:
      return filter
  }
}

function ofAnyType(entity: string | null, filter: Filter | null): Filter | null {
  const inner = filter && anyTypeWithin(filter)
  return entity === 'reports' ? both(inner, comparison('type', 'any')) : inner
}

/** `["=","type","any"]` and `["=","node_state","any"]` filter nothing. */
const filtersNothing = (filter: Filter): boolean =>
  filter.kind === 'compare' &&
  filter.operator === '=' &&
  (isField(filter.left, 'type')
    ? filter.value === 'any'
    : isField(filter.left, 'node_state') &&
      typeof filter.value === 'string' &&
      filter.value.toLowerCase() === 'any')

/** Removes terms that filter nothing, and every and, or and not that this leaves empty. */
export function elideAny(filter: Filter | null): Filter | null {
  if (filter === null || filtersNothing(filter)) return null
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map(elideAny).filter((term) => term !== null)
      const [first, ...more] = terms
      if (first === undefined || testsBothStates(filter.kind, terms)) return null
      return more.length === 0 ? first : { kind: filter.kind, terms }
    }
    case 'not': {
      const term = elideAny(filter.term)
      return term && { kind: 'not', term }
    }
    default:
      return filter
  }
}

/** The node state that a term tests for; null for other terms. */
function testedState(filter: Filter): boolean | null {
  const isStateTest =
    filter.kind === 'compare' && filter.operator === '=' && filter.left.kind === 'state'
  return isStateTest ? filter.value !== false && filter.value !== null : null
}

/** Exporters ask for all nodes by the `or` of both states. */
const testsBothStates = (kind: 'and' | 'or', terms: readonly Filter[]): boolean =>
  kind === 'or' &&
  terms.length === 2 &&
  terms.map(testedState).includes(true) &&
  terms.map(testedState).includes(false)

const isState = (operand: Operand): boolean =>
  operand.kind === 'state' || isField(operand, 'node_state')

/** Restricts a query to active nodes, unless it mentions the state of nodes at any level. */
export const activeNodesOnly = (query: Query): Query =>
  mentions(query.filter, isState, true)
    ? query
    : { ...query, filter: both(query.filter, comparison('node_state', 'active')) }
