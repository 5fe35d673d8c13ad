/** What a query asks about each entity, itself and in the subqueries of its conditions. */

import type { Filter, Query } from './ast.ts'

/** A condition on the rows of an entity; null for all of them. */
export interface EntityFilter {
  readonly entity: string
  readonly filter: Filter | null
}

/** The entity that a query names; some are written with hyphens, as PuppetDB's endpoints are. '' without one. */
export const entityNameOf = (query: Query): string => (query.entity ?? '').replaceAll('-', '_')

/**
 * The entities of a query and of its subqueries, explicit and implicit, however deep, each with its filter.
 *
 * @param entity what the query itself asks for, as the endpoint or the query names it
 */
export function entityFiltersOf(entity: string, filter: Filter | null): readonly EntityFilter[] {
  const found: EntityFilter[] = [{ entity, filter }]
  if (filter) addSubqueries(filter, found)
  return found
}

function addSubqueries(filter: Filter, found: EntityFilter[]): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const term of filter.terms) addSubqueries(term, found)
      return
    case 'not':
      return addSubqueries(filter.term, found)
    case 'in-query':
      found.push(...entityFiltersOf(entityNameOf(filter.query), filter.query.filter))
      return
    case 'related':
      found.push(...entityFiltersOf(filter.entity, filter.filter))
      return
    case 'compare':
    case 'in-list':
    case 'null':
  }
}
