/** What PuppetDB adds to a query before answering it, and what it takes out. */

import type { Filter, Query } from '../../../worker/query/ast.ts'

/** The fields that a filter compares at its own level. */
function fieldsNamed(filter: Filter | null): string[] {
  if (filter === null) return []
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(fieldsNamed)
    case 'not':
      return fieldsNamed(filter.term)
    case 'compare':
    case 'null':
      if (filter.left.kind === 'state') return ['node_state']
      return filter.left.kind === 'field' ? [filter.left.name] : []
    case 'in-list':
      return filter.left.flatMap((one) => (one.kind === 'field' ? [one.name] : []))
    default:
      return []
  }
}

/** The filters of all subqueries directly in a filter. */
function subfilters(filter: Filter | null): (Filter | null)[] {
  switch (filter?.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(subfilters)
    case 'not':
      return subfilters(filter.term)
    case 'in-query':
      return [filter.query.filter]
    case 'related':
      return [filter.filter]
    default:
      return []
  }
}

const speaksOfState = (filter: Filter | null): boolean =>
  fieldsNamed(filter).includes('node_state') || subfilters(filter).some(speaksOfState)

const equals = (name: string, value: string): Filter => ({
  kind: 'compare',
  operator: '=',
  left: { kind: 'field', name },
  value,
})

export const both = (one: Filter | null, other: Filter): Filter =>
  one === null ? other : { kind: 'and', terms: [one, other] }

/** Reports of plans stay hidden unless the filter speaks of `type`. */
export const agentReports = (filter: Filter | null): Filter | null =>
  fieldsNamed(filter).includes('type') ? filter : both(filter, equals('type', 'agent'))

/** Every `=` sure of nulls, as the older engine has it: false, not unknown. */
export function certain(filter: Filter): Filter {
  if (filter.kind === 'and' || filter.kind === 'or') {
    return { kind: filter.kind, terms: filter.terms.map(certain) }
  }
  if (filter.kind === 'not') return { kind: 'not', term: certain(filter.term) }
  if (filter.kind !== 'compare' || filter.operator !== '=' || filter.value === null) return filter
  const [name] = fieldsNamed(filter)
  return name === 'latest_report?'
    ? filter
    : both(filter, { kind: 'not', term: { kind: 'null', left: filter.left, value: true } })
}

/** Inactive nodes stay hidden unless the query, subqueries included, speaks of the state of nodes. */
export const activeNodes = (query: Query): Query =>
  speaksOfState(query.filter)
    ? query
    : { ...query, filter: both(query.filter, equals('node_state', 'active')) }

/** Takes out terms that ask for any type or any state, and what is left empty by that. */
export function withoutAny(filter: Filter | null): Filter | null {
  switch (filter?.kind) {
    case 'compare':
      return filter.left.kind === 'field' &&
        ['type', 'node_state'].includes(filter.left.name) &&
        filter.value === 'any'
        ? null
        : filter
    case 'not': {
      const term = withoutAny(filter.term)
      return term && { kind: 'not', term }
    }
    case 'and':
    case 'or': {
      const terms = filter.terms.map(withoutAny).filter((term) => term !== null)
      return terms.length === 0 ? null : { kind: filter.kind, terms }
    }
    default:
      return filter ?? null
  }
}
