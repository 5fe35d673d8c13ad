/** The card of the fleet map. */

import { MAP_GROUPINGS, type FailingCode, type FleetMap } from '../../insight/nodes/node-map.ts'
import type { View } from '../../insight/view.ts'
import { address, changed, chosenOf, OF_RUNS } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import type { Panel, Visit } from '../visit.ts'
import { card } from './list.ts'
import { nodeMap } from './node-map.ts'

/** The map on Fleet, with its choice of grouping. */
export function mapCard(
  visit: Visit,
  view: View,
  found: Panel<{ readonly map: FleetMap }>,
  code: FailingCode | null,
): Html {
  if (!('answer' in found)) return ''
  const { map } = found.answer
  const { by } = map
  return card(
    {
      name: 'Map',
      note: 'one cell per node',
      actions: [
        html`<details class="menu end" name="menu">
          <summary>By <b>${by}</b></summary>
          <ul>
            ${each(
              MAP_GROUPINGS,
              (name) =>
                html`<li>
                  <a
                    href="${changed(visit.url, { map: name === 'group' ? null : name })}"
                    ${name === by ? html` aria-current="true"` : ''}
                    >by ${name}</a
                  >
                </li>`,
            )}
          </ul>
        </details>`,
        html`<a
          class="btn"
          href="${address('/console', { ...chosenOf(visit.url, OF_RUNS), layout: 'wall' })}"
          >Wall</a
        >`,
      ],
    },
    nodeMap(visit, view, map, code),
  )
}
