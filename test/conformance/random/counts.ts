/** Random parameters of event counts. */

import type { Filter, SortKey } from '../../../worker/query/ast.ts'
import {
  COUNT_NAMES,
  SUMMARIES,
  type CountName,
  type CountsAsked,
  type Summary,
} from '../evaluator/counts.ts'
import type { Window } from '../evaluator/distinct.ts'
import type { Making } from './filters.ts'

export function countsFor(
  { draw }: Making,
  given: {
    readonly aggregate: boolean
    readonly filter: Filter | null
    readonly distinct: Window | null
  },
): CountsAsked {
  const names = Object.keys(SUMMARIES) as Summary[]
  const summarizeBy = given.aggregate ? draw.some(names, 3) : [draw.pick(names)]
  const directed = (field: string): SortKey => ({
    field,
    direction: draw.pick(['asc', 'desc'] as const),
  })
  const ordered = !given.aggregate && draw.chance(0.4)
  // The subject's own columns come last and make the order total, so that a page of it is one thing only.
  const orderBy = ordered
    ? [...draw.some(COUNT_NAMES, 2), ...SUMMARIES[summarizeBy[0]!]].map(directed)
    : null
  const counted = (): [string, CountName, number] => [
    draw.pick(['=', '<', '>', '<=', '>=']),
    draw.pick(COUNT_NAMES),
    draw.between(0, 4),
  ]
  return {
    ...given,
    summarizeBy,
    countBy: draw.chance(0.4) ? 'certname' : 'resource',
    countsFilter: draw.chance(0.3) ? counted() : null,
    paging: {
      limit: ordered && draw.chance(0.5) ? draw.between(1, 20) : null,
      offset: ordered && draw.chance(0.3) ? draw.between(0, 10) : null,
      orderBy,
    },
  }
}
