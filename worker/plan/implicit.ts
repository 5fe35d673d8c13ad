/** What PuppetDB adds to a query, or takes out of it, before answering. Trees in, trees out. */

import { comparing, type Filter, type Operand, type Query } from '../query/ast.ts'

const isField = (operand: Operand, name: string): boolean =>
  operand.kind === 'field' && operand.name === name

/** Whether a filter compares `name` at this level: subqueries are judged by themselves. */
function mentions(filter: Filter | null, name: string): boolean {
  switch (filter?.kind) {
    case 'and':
    case 'or':
      return filter.terms.some((term) => mentions(term, name))
    case 'not':
      return mentions(filter.term, name)
    case 'compare':
    case 'null':
      return isField(filter.left, name)
    case 'in-list':
      return filter.left.some((operand) => isField(operand, name))
    default:
      return false
  }
}

/** Both filters; either may be missing. */
export const both = (one: Filter | null, other: Filter | null): Filter | null =>
  one && other ? { kind: 'and', terms: [one, other] } : (one ?? other)

/** Reports of plans are hidden from a query of reports that does not mention `type`. */
export const agentReportsOnly = (filter: Filter | null): Filter | null =>
  mentions(filter, 'type') ? filter : both(filter, comparing('type', 'agent'))

/** Event counts hide no reports of plans: each subquery of reports is told to take those of any type. */
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
  return entity === 'reports' ? both(inner, comparing('type', 'any')) : inner
}

/** `["=","type","any"]` and `["=","node_state","any"]` ask nothing. */
const asksNothing = (filter: Filter): boolean =>
  filter.kind === 'compare' &&
  filter.operator === '=' &&
  (isField(filter.left, 'type')
    ? filter.value === 'any'
    : isField(filter.left, 'node_state') &&
      typeof filter.value === 'string' &&
      filter.value.toLowerCase() === 'any')

/** Takes out what asks nothing, together with any and, or and not that is left empty by it. */
export function elideAny(filter: Filter | null): Filter | null {
  if (filter === null || asksNothing(filter)) return null
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map(elideAny).filter((term) => term !== null)
      const [first, ...more] = terms
      if (first === undefined || asksForEither(filter.kind, terms)) return null
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

/** The state that a term asks for, where it is about nothing else. */
function stateAsked(filter: Filter): boolean | null {
  const asked = filter.kind === 'compare' && filter.operator === '=' && filter.left.kind === 'state'
  return asked ? filter.value !== false && filter.value !== null : null
}

/** The `or` of both states is how exporters ask for all nodes. */
const asksForEither = (kind: 'and' | 'or', terms: readonly Filter[]): boolean =>
  kind === 'or' &&
  terms.length === 2 &&
  terms.map(stateAsked).includes(true) &&
  terms.map(stateAsked).includes(false)

/** Whether any part of a query, nested ones included, asks for the state of nodes itself. */
function mentionsState(filter: Filter | null): boolean {
  switch (filter?.kind) {
    case 'and':
    case 'or':
      return filter.terms.some(mentionsState)
    case 'not':
      return mentionsState(filter.term)
    case 'compare':
    case 'null':
      return filter.left.kind === 'state' || isField(filter.left, 'node_state')
    case 'in-query':
      return mentionsState(filter.query.filter)
    case 'related':
      return mentionsState(filter.filter)
    default:
      return false
  }
}

/** Only active nodes, unless the query speaks of the state of nodes. */
export const activeNodesOnly = (query: Query): Query =>
  mentionsState(query.filter)
    ? query
    : { ...query, filter: both(query.filter, comparing('node_state', 'active')) }
