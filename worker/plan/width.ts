/** How much a query may ask for at once. Checked before any of its patterns and masks is read. */

import { QueryError } from '../lib/errors.ts'
import type { Filter, Query, QueryColumn } from '../query/ast.ts'

/** The most conditions of a query; merged ones count once. More would not fit into a statement of D1. */
const MOST_CONDITIONS = 2000
/** The most characters of all masks of a query. Each makes up to 60 characters of SQL, of which D1 takes 100,000. */
export const MOST_MASK_CHARACTERS = 10_000

type Wide = Pick<Query, 'columns' | 'filter' | 'groupBy'>

/** @throws QueryError for a query with too many conditions, or with too long masks in all of its parts together */
export function refuseWide(query: Wide): void {
  if (query.filter !== null && conditionsOf(query.filter) > MOST_CONDITIONS) {
    throw new QueryError(
      `The query has more than ${MOST_CONDITIONS} conditions. A list of values belongs into ["in", field, ["array", […]]].`,
    )
  }
  const masks = maskCharacters(query)
  if (masks > MOST_MASK_CHARACTERS) {
    throw new QueryError(
      `The masks of to_string have ${masks} characters together; a query may have ${MOST_MASK_CHARACTERS}.`,
    )
  }
}

function conditionsOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const separate = filter.terms.filter((term) => !merges(filter.kind, term))
      return separate.reduce((sum, term) => sum + conditionsOf(term), 0) || 1
    }
    case 'not':
      return conditionsOf(filter.term)
    case 'in-query':
      return 1 + (filter.query.filter ? conditionsOf(filter.query.filter) : 0)
    case 'related':
      return 1 + (filter.filter ? conditionsOf(filter.filter) : 0)
    default:
      return 1
  }
}

/** Whether a term of a chain can be merged into a list of values. */
function merges(chain: 'and' | 'or', term: Filter): boolean {
  if (chain === 'and') return term.kind === 'not' && merges('or', term.term)
  return term.kind === 'compare' && term.operator === '=' && term.value !== null
}

const maskCharacters = ({ columns, filter, groupBy }: Wide): number =>
  [...(columns ?? []), ...(groupBy ?? [])].reduce((sum, column) => sum + maskLength(column), 0) +
  (filter === null ? 0 : maskCharactersWithin(filter))

function maskCharactersWithin(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.reduce((sum, term) => sum + maskCharactersWithin(term), 0)
    case 'not':
      return maskCharactersWithin(filter.term)
    case 'in-query':
      return maskCharacters(filter.query)
    case 'related':
      return filter.filter === null ? 0 : maskCharactersWithin(filter.filter)
    default:
      return 0
  }
}

function maskLength(column: QueryColumn): number {
  const mask = column.kind === 'function' ? column.arguments[1] : null
  return typeof mask === 'string' ? mask.length : 0
}
