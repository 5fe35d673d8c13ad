/** The card of the fleet map. */

import { MAP_GROUPINGS, type FailingCode, type FleetMap } from '../../insight/nodes/node-map.ts'
import type { View } from '../../insight/view.ts'
import { address, changed, chosenOf, OF_RUNS } from '../address.ts'
import { html, type Html } from '../html.ts'
import type { Panel, Visit } from '../visit.ts'
import { card } from './list.ts'
import { linkMenu } from './menu.ts'
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
        linkMenu(
          html`By <b>${by}</b>`,
          MAP_GROUPINGS.map((name) => ({
            href: changed(visit.url, { map: name === 'group' ? null : name }),
            name: `by ${name}`,
            chosen: name === by,
          })),
          'end',
        ),
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
