/** The preview of noop over the fleet: what would change if noop ended now, and how many nodes each change would touch. */

import {
  pendingChangesRead,
  type PendingChange,
  type PendingChanges,
} from '../../insight/reports/pending-changes.ts'
import { address, chosenOf, nodeAddress, OF_NODES } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { location } from '../parts/cause.ts'
import { briefValue } from '../parts/events.ts'
import { card, nothing, panel, title } from '../parts/list.ts'
import { columns } from '../parts/plain-table.ts'
import { everywhereRead, panels, resolveView, scopeOf, type Visit } from '../visit.ts'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'

const SHOWN = 200

export async function show(visit: Visit): Promise<Page> {
  const { view } = await resolveView(visit, null)
  const { pending, everywhere } = await panels(visit, {
    pending: pendingChangesRead(view, SHOWN),
    everywhere: everywhereRead(view),
  })
  return {
    title: 'Pending changes (noop)',
    scope: scopeOf(everywhere),
    body: html`${title('Pending changes (noop)', 'What the latest run of each node would have changed, had it not run in noop.')}
    ${panel(visit, pending, (found) =>
      found.resources === 0
        ? nothing('No change is pending: no latest run holds a resource in noop that differs.')
        : list(visit, found),
    )}`,
  }
}

const list = (visit: Visit, { nodes, resources, items }: PendingChanges): Html =>
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
