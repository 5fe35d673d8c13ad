/** Queries about what this service does not keep: facts, catalogs, and the resources in them. */

import { QueryError } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { Filter, Operand, Query } from '../../query/ast.ts'
import { entityFiltersOf } from '../../query/subqueries.ts'
import { EMPTY_ENTITIES } from '../../schema/entities.ts'
import type { Settings } from '../../schema/settings.ts'

/** What puppetserver's terminus writes into its log as a warning (`log_x_deprecation_header`). */
const WARNING_HEADER = 'x-deprecation'

const REFUSAL =
  'This service keeps no catalogs, so it knows no exported resources. An answer without any would have the catalog compiled without what other nodes export, ' +
  'and a purge remove it. Where that is right, the setting EXPORTED_RESOURCES=none answers with none.'

/**
 * Refuses a query that collects exported resources, itself or in a subquery, unless the operator has it answered
 * with none.
 *
 * @throws QueryError
 */
export function refuseExported(entity: string, query: Query, settings: Settings): void {
  if (settings.EXPORTED_RESOURCES === 'none') return
  const collects = entityFiltersOf(entity, query.filter).some(
    (asked) => asked.entity === 'resources' && asked.filter && asksForExported(asked.filter),
  )
  if (collects) throw new QueryError(REFUSAL)
}

/** What an answer to a query lacks, in a sentence; null where all that the query asks about is kept. */
export function notKeptSentence(entity: string, query: Query): string | null {
  const asked = entityFiltersOf(entity, query.filter).map((one) => one.entity)
  const names = [...new Set(asked)].filter((name) => EMPTY_ENTITIES.has(name))
  if (names.length === 0) return null
  const consequence = names.includes(entity)
    ? 'the answer is empty'
    : 'no condition on them is ever met'
  return `The report query service keeps no ${names.join(', no ')}: ${consequence}.`
}

/** Headers of an answer to a query; none where all that it asks about is kept. */
export function notKeptHeaders(entity: string, query: Query): Record<string, string> {
  const sentence = notKeptSentence(entity, query)
  return sentence === null ? {} : { [WARNING_HEADER]: sentence }
}

const isExported = (operand: Operand): boolean =>
  operand.kind === 'field' && operand.name === 'exported'

/** Whether rows whose `exported` is, or in a `not` isn't, one of the values can be exported resources. */
const admitsExported = (values: readonly Json[], holds: boolean): boolean =>
  holds ? values.some((value) => value !== false) : !values.includes(true)

/**
 * Whether a filter asks for exported resources, wherever in it. One that only rules them out does not.
 *
 * @param holds whether the rows are those that meet the filter, or, within a `not`, those that don't
 */
function asksForExported(filter: Filter, holds = true): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.some((term) => asksForExported(term, holds))
    case 'not':
      return asksForExported(filter.term, !holds)
    case 'compare':
      return isExported(filter.left) && admitsExported([filter.value], holds)
    case 'in-list':
      return filter.left.some(isExported) && admitsExported(filter.values, holds)
    case 'in-query':
      return filter.left.some(isExported)
    default:
      return false
  }
}
