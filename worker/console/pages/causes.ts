/** Causes: why runs failed, by reason or by another facet. */

import { causeListRead, type CauseListOptions } from '../../insight/causes/cause-list.ts'
import { breakagesRead } from '../../insight/deploys/breakages.ts'
import { fleetRead } from '../../insight/nodes/node-map.ts'
import { CAUSE_FACETS } from '../../store/hits.ts'
import { timelineRead } from '../../insight/timeline.ts'
import { NO_READ } from '../../store/batch-read.ts'
import { printed } from '../../insight/list-pages.ts'
import { address, changed, chosenOf, OF_RUNS, OF_SPAN } from '../address.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { causeList, DEFAULT_SPAN } from '../parts/cause.ts'
import { marksOf } from '../parts/open-causes.ts'
import { charted } from '../parts/fleet-runs.ts'
import { chip, exports, filters, nothing, panel, tabs, title } from '../parts/list.ts'
import { unknownEnvironment } from '../scope-bar.ts'
import { chosen } from '../states.ts'
import { answerOf, everywhereRead, panels, resolveView, scopeOf, type Visit } from '../visit.ts'
import { counted, number } from '../format.ts'
import { failuresQuery, runCountOf } from './fleet.ts'

const SHOWN = 100
const EXPORTED = 1000

function optionsOf({ url: { searchParams } }: Visit, limit: number): CauseListOptions {
  return {
    kind: 'failure',
    by: chosen(searchParams, 'by', CAUSE_FACETS, 'reason'),
    onlyNew: searchParams.get('new') !== null,
    limit,
  }
}

/** Drift and pending changes, which were kinds of causes, are changes. */
const CHANGES: ReadonlySet<string | null> = new Set(['corrective', 'noop'])

export async function show(visit: Visit): Promise<Page> {
  const { searchParams } = visit.url
  if (CHANGES.has(searchParams.get('kind')))
    return {
      title: '',
      body: '',
      redirect: address('/console/changes', chosenOf(visit.url, ['kind', 'by', ...OF_RUNS])),
    }
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const options = optionsOf(visit, SHOWN)
  const { causes, timeline, everywhere, breakages, fleet } = await panels(visit, {
    fleet: fleetRead(view),
    everywhere: everywhereRead(view),
    causes: causeListRead(view, options),
    timeline: timelineRead(charted(view), { bucket: 'day', certname: null }),
    breakages: options.by === 'reason' ? breakagesRead(view) : NO_READ,
  })
  const runs = runCountOf(timeline)
  const none = runs === 0 ? 'No runs' : options.onlyNew ? 'Nothing new' : 'Nothing failed'
  const answer = answerOf(causes)
  // Listed for now, without a run in the span; they stand first.
  const onlyNow = answer?.items.filter(({ nodes }) => nodes === 0).length ?? 0
  const inSpan = (answer?.total ?? 0) - onlyNow
  const found =
    answer === null || inSpan === 0
      ? none
      : `${counted(inSpan, 'cause of failure', 'causes of failure')} on ${counted(answer.nodes, 'node')}`
  const kept = chosenOf(visit.url, OF_RUNS)
  return {
    title: `${found} · ${span.name}`,
    inTitle: OF_SPAN,
    ...marksOf(answer, answerOf(fleet)),
    live: true,
    newest: { time: visit.now },
    scope: scopeOf(everywhere, span),
    body: html`${title(
      html`${found}
        <span class="muted"
          >${span.name}${onlyNow === 0 ? '' : `; ${onlyNow}${inSpan === 0 ? '' : ' more'} ${onlyNow === 1 ? 'fails' : 'fail'} now`}</span
        >`,
      '',
      exports(visit, failuresQuery(visit, span), { span }),
    )}
    ${filters(visit, facetTabs(visit, options), options.by === 'reason' ? chip(changed(visit.url, { new: options.onlyNew ? null : 1 }), options.onlyNew, 'New only') : '')}
    ${panel(visit, causes, (list) =>
      list.items.length === 0
        ? nothing(
            html`${unknownEnvironment(visit, answerOf(everywhere)?.environments ?? null)}${none}
            (${span.name})${runs ? html`, in ${counted(runs, 'run')}` : ''}.
            ${span.choice === null ? '' : html`<a href="${changed(visit.url, { since: '30d' })}">Show the last 30 days</a>`}`,
          )
        : html`<section class="card">
            ${causeList(list, { now: visit.now, kept, breakages: answerOf(breakages) ?? [] })}${list.total > list.items.length ? html`<p class="foot">${number(list.items.length)} of ${number(list.total)}, failing now first (exports hold ${number(EXPORTED)}).</p>` : ''}
          </section>`,
    )}`,
  }
}

const facetTabs = ({ url }: Visit, { by }: CauseListOptions): Html =>
  tabs(
    'Grouped by',
    CAUSE_FACETS.map((name) => [changed(url, { by: name }), `by ${name}`, name === by]),
  )

export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const { causes } = await panels(visit, {
    causes: causeListRead(view, optionsOf(visit, EXPORTED)),
  })
  if ('answer' in causes) yield printed(causes.answer.items.map(({ hours: _, ...cause }) => cause))
}
