/** The list of pending changes: what would change if noop ended now, and how many nodes each change would touch. */

import type { PendingChange, PendingChanges } from '../../insight/reports/pending-changes.ts'
import { address, chosenOf, nodeAddress, OF_NODES } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { location } from './cause.ts'
import { briefValue } from './events.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import type { Visit } from '../visit.ts'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'

export const pendingList = (visit: Visit, { nodes, resources, items }: PendingChanges): Html =>
  card(
    {
      name: html`${counted(resources, 'resource')} would change on ${counted(nodes, 'node')}`,
      note: items.length < resources ? `${number(items.length)} shown, most nodes first` : '',
    },
    table<PendingChange>(items, [
      ['Resource', 'row', (one) => html`<a href="${changesOf(visit, one)}">${resourceOf(one)}</a>`],
      ['Nodes', 'n labelled', (one) => number(one.nodes)],
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
