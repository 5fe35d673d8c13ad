/** The list of pending changes: what would change if noop ended now, and how many nodes each change would touch. */

import type { PendingChange, PendingChanges } from '../../insight/reports/pending-changes.ts'
import { address, chosenOf, nodeAddress, OF_NODES } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { location } from './cause.ts'
import { briefValue } from './events.ts'
import { card } from './list.ts'
import { columns } from './plain-table.ts'
import type { Visit } from '../visit.ts'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'

export const pendingList = (visit: Visit, { nodes, resources, items }: PendingChanges): Html =>
  card(
    {
      name: html`${counted(resources, 'resource')} would change on ${counted(nodes, 'node')}`,
      note: items.length < resources ? `${number(items.length)} shown, most nodes first` : '',
    },
    html`<table class="list cards">
      ${columns('Resource', '#Nodes', 'Change', 'Class', 'Place', 'For example')}
      <tbody>
        ${each(items, (one) => row(visit, one))}
      </tbody>
    </table>`,
  )

function row({ url }: Visit, pending: PendingChange): Html {
  const { resource_type, resource_title, nodes, certname, containing_class, file, line } = pending
  const resource = `${resource_type}[${resource_title}]`
  const kept = chosenOf(url, OF_NODES)
  const changes = address('/console/changes', { ...kept, resource, kind: 'noop', since: 'all' })
  return html`<tr>
    <th scope="row"><a href="${changes}">${resource}</a></th>
    <td class="n" data-l="nodes">${number(nodes)}</td>
    <td class="mono wide">${changeOf(pending)}</td>
    <td class="hide">${containing_class ?? ''}</td>
    <td class="mono hide">${file === null ? '' : location(file, line)}</td>
    <td class="wide"><a href="${nodeAddress(certname)}">${certname}</a></td>
  </tr>`
}

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
