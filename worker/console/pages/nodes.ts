/** The list of nodes: all, or those in a state; worst first. */

import { fleetCountsRead } from '../../insight/fleet.ts'
import { nodeListRead, nodeRowsRead } from '../../insight/nodes/node-list.ts'
import { flatNodeRow } from '../../insight/nodes/node-row.ts'
import { NO_READ } from '../../store/batch-read.ts'
import { exportedRows } from '../exported-rows.ts'
import { counted, number, part } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { exports, title } from '../parts/list.ts'
import { listCard } from '../parts/list-card.ts'
import { nodeFilters, nodeOptions, nodesQuery } from '../parts/node-filters.ts'
import { nodeTable } from '../parts/node-rows.ts'
import { stateChoice } from '../states.ts'
import { answerOf, everywhereRead, isScoped, panels, resolveView, type Visit } from '../visit.ts'

const SHOWN = 100
const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit)
  const choice = stateChoice(visit.url.searchParams)
  const isPart = choice.name !== 'all' || !!visit.url.searchParams.get('q')
  const { nodes, fleet, everywhere } = await panels(visit, {
    nodes: (isPart ? nodeListRead : nodeRowsRead)(view, nodeOptions(visit, SHOWN)),
    fleet: fleetCountsRead(view),
    // The same counts, unless the page shows some nodes only.
    everywhere: isScoped(visit) ? everywhereRead(view) : NO_READ,
  })
  const counts = answerOf(fleet)
  const total = isPart ? (answerOf(nodes)?.total ?? null) : (counts?.nodes ?? null)
  const found = `${total === null ? 'Nodes' : counted(total, 'node')}${choice.name === 'all' ? '' : ` ${choice.name}`}`
  const scope = { environments: (answerOf(everywhere) ?? counts)?.environments ?? null, span }
  return {
    title: found,
    inTitle: ['state'],
    scope,
    body: html`${title(
      html`${found}
      ${isPart && counts !== null ? html`<span class="muted">of ${number(counts.nodes)}</span>` : ''}`,
      '',
      exports(visit, nodesQuery(visit)),
    )}
    ${nodeFilters(visit, counts)}${listCard(visit, {
      scope,
      found: nodes,
      show: ({ items }) => nodeTable(visit, items),
      note: ({ items }) => part(items.length, total ?? items.length, 'node'),
      none: () =>
        html`${isPart && counts?.nodes ? `None of ${counted(counts.nodes, 'node')}` : 'No node'}
          matches. <a href="/console/nodes">All nodes</a>`,
    })}`,
  }
}

export const rows = (visit: Visit) =>
  exportedRows(
    visit,
    (view, cursor) => nodeListRead(view, { ...nodeOptions(visit, EXPORTED), cursor }),
    flatNodeRow,
  )
