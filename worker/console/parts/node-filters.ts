/** What the list of nodes can be narrowed to, and in which order: as filters, as options of the read, and as a query. */

import type { FleetCounts } from '../../insight/fleet.ts'
import { NODE_SORTS, type NodeListOptions } from '../../insight/nodes/node-list.ts'
import { address, changed, chosenOf, filled, pqlOf, quoted, OF_NODES } from '../address.ts'
import { capital, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import {
  chosen,
  nodesIn,
  STATE_CHOICE_NAMES,
  STATE_CHOICES,
  stateChoice,
  stateFilter,
} from '../states.ts'
import { nodeTerms, type Visit } from '../visit.ts'
import { chip, field, filters, selectField, type Choice } from './list.ts'
import { icon } from './mark.ts'
import { STRIP_RUNS } from './node-rows.ts'

const SORT_NAMES: Readonly<Record<(typeof NODE_SORTS)[number], string>> = {
  worst: 'worst first',
  certname: 'by name',
  time: 'last run first',
  oldest: 'longest without a run first',
  seconds: 'slowest first',
  fastest: 'fastest first',
}

/** The options of the read of the list. */
export function nodeOptions({ url: { searchParams } }: Visit, limit: number): NodeListOptions {
  const choice = stateChoice(searchParams)
  return {
    ...stateFilter(choice),
    silent: choice.silent ?? null,
    search: filled(searchParams, 'q'),
    sort: chosen(searchParams, 'sort', NODE_SORTS, 'worst'),
    cursor: filled(searchParams, 'cursor'),
    limit,
    runs: STRIP_RUNS,
  }
}

/** @param fleet null where its counts could not be read */
export const nodeFilters = (visit: Visit, fleet: FleetCounts | null): Html =>
  filters(
    field(visit, 'q', 'Part of a name', 'Part of a name'),
    stateChips(visit, fleet),
    selectField(visit, 'silent_after', 'Silent after', SILENCES, '2'),
    selectField(
      visit,
      'sort',
      'Order',
      NODE_SORTS.map((name): Choice => [name, SORT_NAMES[name]]),
      'worst',
    ),
    visit.url.searchParams.get('state') === 'would'
      ? html`<a
          class="btn"
          href="${address('/console/changes', { ...chosenOf(visit.url, OF_NODES), kind: 'noop' })}"
          >What would change</a
        >`
      : '',
  )

/** The choices of the hours after which a node is silent. */
const SILENCES: readonly Choice[] = [
  ['1', '1 hour'],
  ['2', '2 hours'],
  ['4', '4 hours'],
  ['12', '12 hours'],
  ['24', '1 day'],
  ['168', '7 days'],
]

/** Shorter names, where the glyph says the rest. */
const CHIPS: Readonly<Partial<Record<string, string>>> = {
  corrective: 'Drift',
  would: 'Pending',
  'fact-errors': 'Fact errors',
}

/** Each state that nodes have, with their number; the states of a fleet that could not be read have none. */
const stateChips = ({ url }: Visit, fleet: FleetCounts | null): Html[] => {
  const chosen = filled(url.searchParams, 'state')
  return [
    chip(
      changed(url, { state: null }),
      chosen === null,
      'All',
      fleet === null ? undefined : number(fleet.nodes),
    ),
    ...STATE_CHOICE_NAMES.filter(
      (name) =>
        chosen === name ||
        (fleet === null
          ? name !== 'fact-errors' && name !== 'eventful'
          : name !== 'eventful' && nodesIn(fleet, STATE_CHOICES[name]) > 0),
    ).map((name) => {
      const { glyph, hue, name: word } = STATE_CHOICES[name]
      return chip(
        changed(url, { state: name }),
        chosen === name,
        html`<span class="st ${hue}">${icon(glyph, name === 'would')}</span
          >${CHIPS[name] ?? capital(word)}`,
        fleet === null ? undefined : number(nodesIn(fleet, STATE_CHOICES[name])),
      )
    }),
  ]
}

/** A regular expression that finds the text in any case. */
const inAnyCase = (text: string): string => `(?i)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`

/** The same nodes as a query; null where queries can't say it: they know neither fact errors nor silence. */
export function nodesQuery(visit: Visit): string | null {
  const { searchParams } = visit.url
  const { pql, fact_errors, silent } = stateChoice(searchParams)
  if (fact_errors || silent !== undefined) return null
  const name = searchParams.get('q')
  return pqlOf(
    'nodes',
    [
      pql?.replaceAll(/\b(status|corrective_change|noop_pending)\b/g, 'latest_report_$1') ?? null,
      name ? `certname ~ ${quoted(inAnyCase(name))}` : null,
      ...nodeTerms(visit, 'report_environment'),
    ],
    'order by certname',
  )
}
