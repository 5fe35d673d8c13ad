/** Queries about what this service does not keep: facts, catalogs, and the resources in them. */

import { QueryError } from '../../lib/errors.ts'
import type { Filter, Operand, Query } from '../../query/ast.ts'
import { EMPTY_ENTITIES } from '../../schema/entities.ts'
import type { Settings } from '../../schema/settings.ts'

/** What puppetserver's terminus writes into its log as a warning (`log_x_deprecation_header`). */
const WARNING_HEADER = 'x-deprecation'

const REFUSAL =
  'This service keeps no catalogs, so it knows no exported resources. An answer without any would have the catalog compiled without what other nodes export, ' +
  'and a purge remove it. Where that is right, the setting EXPORTED_RESOURCES=none answers with none.'

/** @throws QueryError for a query that collects exported resources, unless the operator answers it with none */
export function refuseExported(entity: string, query: Query, settings: Settings): void {
  if (settings.EXPORTED_RESOURCES === 'none') return
  if (entity === 'resources' && query.filter && asksForExported(query.filter)) {
    throw new QueryError(REFUSAL)
  }
}

/** Headers of an answer about an entity; none for one that is kept. */
export const notKeptHeaders = (entity: string): Record<string, string> =>
  EMPTY_ENTITIES.has(entity)
    ? { [WARNING_HEADER]: `The report query service keeps no ${entity}: the answer is empty.` }
    : {}

const isExported = (operand: Operand): boolean =>
  operand.kind === 'field' && operand.name === 'exported'

/** Whether a filter asks for exported resources, wherever in it. One that only rules them out does not. */
function asksForExported(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.some(asksForExported)
    case 'compare':
      return isExported(filter.left) && filter.value !== false
    case 'in-list':
      return filter.left.some(isExported)
    default:
      return false
  }
}
