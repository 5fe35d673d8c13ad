/** Lists by resource: pending changes, which noop keeps from happening, and drift, with the nodes of each. */

import { causeListRead, type CauseList } from '../../insight/causes/cause-list.ts'
import type { View } from '../../insight/view.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import type { PendingChange, PendingChanges } from '../../insight/reports/pending-changes.ts'
import { address, changed, chosenOf, nodeAddress, OF_NODES } from '../address.ts'
import { capital, counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { location } from './cause.ts'
import { briefValue } from './events.ts'
import { card, nothing, tabs } from './list.ts'
import { table } from './table.ts'
import { when } from './time.ts'
import { chosen } from '../states.ts'
import type { Visit } from '../visit.ts'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'

export const pendingList = (visit: Visit, { nodes, resources, items }: PendingChanges): Html =>
  resources === 0
    ? nothing('No pending changes: no noop run would change anything.')
    : card(
        {
          name: html`${counted(resources, 'resource')} would change on ${counted(nodes, 'node')}`,
          note: items.length < resources ? `${number(items.length)} shown, most nodes first` : '',
        },
        table<PendingChange>(items, [
          [
            'Resource',
            'row',
            (one) => html`<a href="${changesOf(visit, one)}">${resourceOf(one)}</a>`,
          ],
          'nodes',
          ['Change', 'mono wide', changeOf],
          ['Class', 'hide', (one) => one.containing_class ?? ''],
          ['Place', 'mono hide', ({ file, line }) => (file === null ? '' : location(file, line))],
          [
            'For example',
            'wide',
            ({ certname }) => html`<a href="${nodeAddress(certname)}">${certname}</a>`,
          ],
        ]),
      )

/** Names of what a list of drift is grouped by: the heading, and the parameter of the page of changes. */
const DRIFT_FACETS = {
  resource: ['resource', 'resource', 'resources'],
  class: ['class', 'class', 'classes'],
  location: ['place', 'file', 'places'],
} as const
type DriftFacet = keyof typeof DRIFT_FACETS
const DRIFT_BY = Object.keys(DRIFT_FACETS) as DriftFacet[]

const DRIFT_SHOWN = 20

/** The drift of a view, grouped as the address says. */
export const driftRead = (view: View, { url }: Visit): BatchRead<CauseList> =>
  causeListRead(view, {
    kind: 'corrective',
    by: chosen(url.searchParams, 'by', DRIFT_BY, 'resource'),
    onlyNew: false,
    limit: DRIFT_SHOWN,
  })

/** Where drift was corrected, on most nodes first; empty where there was none. */
export function driftList({ url, now }: Visit, { items, total, nodes, by }: CauseList): Html {
  const [one, parameter, many] = DRIFT_FACETS[by as DriftFacet]
  const hrefOf = (name: string): string =>
    changed(url, { by: null, [parameter]: by === 'location' ? name.replace(/:\d+$/, '') : name })
  return items.length === 0
    ? NONE
    : card(
        {
          name: html`${counted(total, one, many)} with drift on ${counted(nodes, 'node')}`,
          actions: tabs(
            'Grouped by',
            DRIFT_BY.map((name) => [changed(url, { by: name }), `by ${name}`, name === by]),
          ),
          note: items.length < total ? `${number(items.length)} shown, most nodes first` : '',
        },
        table<CauseList['items'][number]>(items, [
          [capital(one), 'row', ({ reason }) => html`<a href="${hrefOf(reason)}">${reason}</a>`],
          ['Nodes', 'n labelled', (one) => number(one.nodes)],
          ['Runs', 'n labelled', ({ reports }) => number(reports)],
          ['Last', 'n labelled', ({ last_seen }) => when(last_seen, now)],
        ]),
      )
}

const resourceOf = ({ resource_type: type, resource_title: title }: PendingChange): string =>
  `${type}[${title}]`

const changesOf = ({ url }: Visit, pending: PendingChange): string =>
  address('/console/changes', {
    ...chosenOf(url, OF_NODES),
    resource: resourceOf(pending),
    kind: 'noop',
    since: 'all',
  })

/** `ensure: "absent" → "present"`; without values that all nodes share, the property alone. */
function changeOf({ property, old_value, new_value }: PendingChange): Html {
  if (new_value === null) return html`${property ?? ''} <span class="muted">values differ</span>`
  return html`${property === null ? NONE : `${property}: `}${old_value === null ? NONE : html`${briefValue(valueOf(old_value))} → `}${briefValue(valueOf(new_value))}`
}

/** A value as it is stored; the beginning of a long one is no JSON. */
function valueOf(stored: string): Json {
  try {
    return parseJson(stored)
  } catch {
    return `${stored} …`
  }
}
