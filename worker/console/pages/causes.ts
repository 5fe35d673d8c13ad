/** Causes: why runs failed. */

import { causeListRead } from '../../insight/causes/cause-list.ts'
import { breakagesRead } from '../../insight/deploys/breakages.ts'
import { fleetRead } from '../../insight/nodes/node-map.ts'
import { runCountsRead } from '../../insight/timeline.ts'
import { changed, OF_SPAN } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { counted, number } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { causeList } from '../parts/cause.ts'
import {
  causeFilters,
  causeOptions,
  failuresQuery,
  movedToChanges,
} from '../parts/cause-filters.ts'
import { exports, title } from '../parts/list.ts'
import { listCard } from '../parts/list-card.ts'
import { marksOf } from '../parts/burning.ts'
import { answerOf, readPage, type Visit } from '../visit.ts'

const SHOWN = 100
const EXPORTED = 1000

export async function show(visit: Visit): Promise<Page> {
  const moved = movedToChanges(visit)
  if (moved !== null) return moved
  const options = causeOptions(visit, SHOWN)
  const { span, scope, found } = await readPage(visit, (view) => ({
    fleet: fleetRead(view),
    causes: causeListRead(view, options),
    runs: runCountsRead(view, null),
    breakages: breakagesRead(view),
  }))
  const runs = answerOf(found.runs)?.runs ?? null
  const none = runs === 0 ? 'No runs' : options.onlyNew ? 'Nothing new' : 'Nothing failed'
  const answer = answerOf(found.causes)
  // Listed for now, without a run in the span; they stand first.
  const { items, total, nodes } = answer ?? { items: [], total: 0, nodes: 0 }
  const onlyNow = items.filter((cause) => cause.nodes === 0).length
  const inSpan = total - onlyNow
  const heading =
    inSpan === 0
      ? none
      : `${counted(inSpan, 'cause of failure', 'causes of failure')} on ${counted(nodes, 'node')}`
  return {
    title: `${heading} · ${span.name}`,
    inTitle: OF_SPAN,
    ...marksOf(answer, answerOf(found.fleet)),
    newest: { time: visit.now },
    scope,
    body: html`${title(
      html`${heading}
        <span class="muted"
          >${span.name}${onlyNow === 0 ? '' : `; ${onlyNow}${inSpan === 0 ? '' : ' more'} ${onlyNow === 1 ? 'fails' : 'fail'} now`}</span
        >`,
      '',
      exports(visit, failuresQuery(visit, span), { span }),
    )}
    ${causeFilters(visit, options)}
    ${listCard(visit, {
      scope,
      found: found.causes,
      show: (list) => causeList(visit, list, { breakages: answerOf(found.breakages) ?? [] }),
      note: ({ items, total }) =>
        total > items.length
          ? `${number(items.length)} of ${number(total)}, failing now first (exports hold ${number(EXPORTED)}).`
          : '',
      none: () =>
        html`${none} (${span.name})${runs ? html`, in ${counted(runs, 'run')}` : ''}.
        ${span.choice === null ? '' : html`<a href="${changed(visit.url, { since: '30d' })}">Show the last 30 days</a>`}`,
    })}`,
  }
}

export const rows = (visit: Visit) =>
  exportedRows(
    visit,
    (view) => causeListRead(view, causeOptions(visit, EXPORTED)),
    ({ hours: _, ...cause }) => cause,
  )
