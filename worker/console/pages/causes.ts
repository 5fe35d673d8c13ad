/** Causes: why runs failed, drifted or would change something, by reason or by another facet. */

import { askCauses } from '../../insight/causes.ts'
import {
  CAUSE_FACETS,
  CAUSE_KINDS,
  type CauseKind,
  type CausesOptions,
} from '../../insight/shapes-cause.ts'
import { changed } from '../address.ts'
import { printed } from '../every-row.ts'
import { each, html, type Html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import { causeList } from '../parts/cause.ts'
import {
  checkbox,
  exports,
  field,
  filters,
  keep,
  nothing,
  panel,
  spanFilter,
} from '../parts/list.ts'
import { chosen } from '../states.ts'
import { look, panels, type Visit } from '../visit.ts'
import { counted, number } from '../words.ts'
import { failuresQuery } from './fleet.ts'

const USUAL = '24h'
const SHOWN = 100
const EXPORTED = 1000

const KIND_NAMES: Readonly<
  Record<CauseKind, { readonly tab: string; readonly one: string; readonly none: string }>
> = {
  failure: { tab: 'failures', one: 'cause of failure', none: 'Nothing failed' },
  corrective: { tab: 'corrected drift', one: 'drift', none: 'No drift was corrected' },
  noop: { tab: 'would change', one: 'pending change', none: 'Nothing would be changed' },
}

function optionsOf({ url: { searchParams } }: Visit, limit: number): CausesOptions {
  const kind = chosen(searchParams, 'kind', CAUSE_KINDS, 'failure')
  const usual = kind === 'failure' ? 'reason' : 'resource'
  return {
    kind,
    by: chosen(searchParams, 'by', CAUSE_FACETS, usual),
    onlyNew: searchParams.get('new') !== null,
    limit,
  }
}

async function show(visit: Visit): Promise<Page> {
  const { view, span } = await look(visit, USUAL)
  const options = optionsOf(visit, SHOWN)
  const { causes } = await panels(visit, { causes: askCauses(view, options) })
  const { one, none } = KIND_NAMES[options.kind]
  const answer = 'answer' in causes ? causes.answer : null
  const found =
    answer === null || answer.total === 0
      ? none
      : `${counted(answer.total, one, one.replace(/^cause/, 'causes').replace(/(drift|change)$/, '$1s'))} on ${counted(answer.nodes, 'node')}`
  const kept = Object.fromEntries(
    ['since', 'from', 'to', 'env'].map((name) => [name, visit.url.searchParams.get(name)]),
  )
  return {
    title: `${found} · ${span.name}`,
    news: answer?.items.filter((cause) => cause.new).length ?? 0,
    body: html`<div class="title">
        <h1>${found} <span class="muted">${span.name}</span></h1>
        <span class="right"
          >${exports(visit, options.kind === 'failure' ? failuresQuery(visit, span) : null, { span })}</span
        >
      </div>
      ${filters(
        visit,
        spanFilter(visit, span, USUAL),
        field(visit, 'env', 'environment', 'all'),
        options.by === 'reason' ? checkbox('new', '1', 'new only', options.onlyNew) : '',
        keep(visit, ['kind', 'by', 'exclude']),
      )}
      <p>${kindTabs(visit, options)} &nbsp; ${facetTabs(visit, options)}</p>
      ${panel(visit, causes, (list) =>
        list.items.length === 0
          ? nothing(
              html`${none}: ${number(list.reports)} runs with such a cause (${span.name}).
              ${span.choice === null ? '' : html`<a href="${changed(visit.url, { since: '30d' })}">Look at the last 30 days</a>`}`,
            )
          : html`${causeList(list, visit.now, kept)}${list.total > list.items.length ? html`<p class="muted">${number(list.items.length)} of ${number(list.total)}, those on the most nodes first; the exports have ${number(EXPORTED)}.</p>` : ''}`,
      )}`,
  }
}

const current = (here: boolean): Html => (here ? html` aria-current="true"` : '')

const kindTabs = ({ url }: Visit, { kind }: CausesOptions): Html =>
  html`<span class="tabs" role="group" aria-label="Kind"
    >${each(CAUSE_KINDS, (name) => html`<a href="${changed(url, { kind: name === 'failure' ? null : name, by: null })}" ${current(name === kind)}>${KIND_NAMES[name].tab}</a>`)}</span
  >`

/** Only failures give a reason. */
const facetTabs = ({ url }: Visit, { kind, by }: CausesOptions): Html =>
  html`<span class="tabs" role="group" aria-label="Grouped by"
    >${each(
      kind === 'failure' ? CAUSE_FACETS : CAUSE_FACETS.slice(1),
      (name) =>
        html`<a href="${changed(url, { by: name })}" ${current(name === by)}>by ${name}</a>`,
    )}</span
  >`

async function* rows(visit: Visit) {
  const { view } = await look(visit, USUAL)
  const { causes } = await panels(visit, { causes: askCauses(view, optionsOf(visit, EXPORTED)) })
  if ('answer' in causes) yield printed(causes.answer.items.map(({ hours: _, ...cause }) => cause))
}

export const causes: PageRoute = { path: '/causes', show, rows }
