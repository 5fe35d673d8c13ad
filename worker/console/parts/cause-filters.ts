/** What the list of causes can be narrowed to: as a filter, as options of the read, and as a query for failed events. */

import type { CauseListOptions } from '../../insight/causes/cause-list.ts'
import { address, changed, chosenOf, OF_RUNS, pqlOf } from '../address.ts'
import type { Html } from '../html.ts'
import type { Page } from '../page.ts'
import type { Span } from '../span.ts'
import { termsOf, type Visit } from '../visit.ts'
import { chip, filters } from './list.ts'

/** Drift and pending changes, which were kinds of causes, are changes. */
const CHANGES: ReadonlySet<string | null> = new Set(['corrective', 'noop'])

/** Where the page of an earlier address is now; null for one of causes. */
export const movedToChanges = ({ url }: Visit): Page | null =>
  CHANGES.has(url.searchParams.get('kind'))
    ? {
        title: '',
        body: '',
        redirect: address('/console/changes', chosenOf(url, ['kind', 'by', ...OF_RUNS])),
      }
    : null

/** The options of the read of the list. */
export const causeOptions = (
  { url: { searchParams } }: Visit,
  limit: number,
): CauseListOptions => ({
  kind: 'failure',
  by: 'reason',
  onlyNew: searchParams.get('new') !== null,
  limit,
})

export const causeFilters = ({ url }: Visit, { onlyNew }: CauseListOptions): Html =>
  filters(chip(changed(url, { new: onlyNew ? null : 1 }), onlyNew, 'New only'))

/** A query for the failed events of the page's runs. */
export function failuresQuery(visit: Visit, span: Span): string {
  const terms = termsOf(visit, span)
  return pqlOf('events', [
    'status = "failure"',
    terms.some(Boolean) && `report in ${pqlOf('reports[hash]', terms)}`,
  ])
}
