/** What the list of reports can be narrowed to: as filters, as options of the read, and as a query. */

import type { ReportListOptions } from '../../insight/reports/report-list.ts'
import { changed, filled, pqlOf, quoted } from '../address.ts'
import type { Html } from '../html.ts'
import type { Span } from '../span.ts'
import { STATE_CHOICE_NAMES, STATE_CHOICES, stateChoice, stateFilter } from '../states.ts'
import { termsOf, type Visit } from '../visit.ts'
import { chip, filters, selectField, type Choice } from './list.ts'

/** The options of the read of the list. */
export function reportOptions({ url: { searchParams } }: Visit, limit: number): ReportListOptions {
  return {
    ...stateFilter(stateChoice(searchParams)),
    certname: filled(searchParams, 'certname'),
    cursor: filled(searchParams, 'cursor'),
    limit,
  }
}

/** All states but silent, which only nodes can be. */
const STATES: readonly Choice[] = [
  ['', 'any'],
  ...STATE_CHOICE_NAMES.filter((name) => name !== 'silent').map((name): Choice => [
    name,
    STATE_CHOICES[name].name,
  ]),
]

/** The state, and the way from one node to all. */
export function reportFilters(visit: Visit): Html {
  const { url } = visit
  const certname = url.searchParams.get('certname')
  return filters(
    certname ? chip(changed(url, { certname: null }), true, certname) : '',
    selectField(visit, 'state', 'State', STATES),
  )
}

/** The same reports as a query; null where queries can't say it. */
export function reportsQuery(visit: Visit, span: Span): string | null {
  const { searchParams } = visit.url
  const certname = searchParams.get('certname')
  const { pql, fact_errors } = stateChoice(searchParams)
  if (fact_errors) return null
  const terms = [
    pql ?? null,
    !!certname && `certname = ${quoted(certname)}`,
    ...termsOf(visit, span),
  ]
  return pqlOf('reports', terms, 'order by producer_timestamp desc')
}
