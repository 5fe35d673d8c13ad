/** The fleet page: states of nodes, runs over time, causes of failure, the worst nodes. Read in one round trip. */

import { causeListRead, type CauseList } from '../../insight/causes/cause-list.ts'
import {
  brokenNodesRead,
  failingCodeOf,
  type BrokenNode,
} from '../../insight/deploys/failing-code.ts'
import type { Fleet } from '../../insight/fleet.ts'
import type { CountedPage as Rows } from '../../insight/list-pages.ts'
import { MAP_GROUPINGS, nodeMapRead, type NodeMap } from '../../insight/nodes/node-map.ts'
import { nodeRowsRead } from '../../insight/nodes/node-list.ts'
import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { type Timeline, timelineRead } from '../../insight/timeline.ts'
import type { View } from '../../insight/view.ts'
import { DAY, formatTimestamp } from '../../lib/time.ts'
import { address, changed, chosenOf, OF_NODES, OF_RUNS, OF_SPAN, pqlOf } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { newestOf, type Page, type PageRoute } from '../page.ts'
import { causeList, DEFAULT_SPAN } from '../parts/cause.ts'
import {
  heading,
  exports,
  field,
  filters,
  keep,
  nothing,
  panel,
  selectField,
  spanFilter,
  tabs,
} from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { nodeMap } from '../parts/node-map.ts'
import { nodeTable } from '../parts/node-rows.ts'
import { tiles } from '../parts/tiles.ts'
import { exactly, when } from '../parts/time.ts'
import type { Span } from '../span.ts'
import { chosen } from '../states.ts'
import { bars } from '../svg/bars.ts'
import {
  answerOf,
  resolveView,
  nodeTerms,
  panels,
  termsOf,
  type Panel,
  type Visit,
} from '../visit.ts'
import { counted, number, part, short } from '../format.ts'

const NODES = 50
const CAUSES = 10
export const STRIP_RUNS = 24

/** Buckets of an hour, or of a day if the bars would be too narrow. */
export const bucketOf = ({ since, until }: Span): 'hour' | 'day' =>
  until - since <= 4 * DAY ? 'hour' : 'day'

/** A longer span is cut to its end, as bars of less than a pixel can't be read. */
const CHART_MS = 400 * DAY

export const charted = (view: View): View => ({
  ...view,
  since: Math.max(view.since, view.until - CHART_MS),
})

async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const found = await panels(visit, {
    map: nodeMapRead(view, { by: chosen(visit.url.searchParams, 'map', MAP_GROUPINGS, 'group') }),
    timeline: timelineRead(charted(view), { bucket: bucketOf(span), certname: null }),
    causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: CAUSES }),
    broken: brokenNodesRead(view),
    nodes: nodeRowsRead(view, {
      states: null,
      noop: null,
      silent: null,
      search: null,
      sort: 'worst',
      cursor: null,
      limit: NODES,
      runs: STRIP_RUNS,
    }),
  })
  const fleet = answerOf(found.map)?.fleet ?? null
  return {
    title: titleOf(found, fleet, span),
    inTitle: OF_SPAN,
    ...('answer' in found.causes
      ? { news: found.causes.answer.items.filter((cause) => cause.new).length }
      : {}),
    live: true,
    ...newestOf(fleet?.newest ?? null),
    body: html`<div class="title">
        <h1>${headline(found, span)}</h1>
        <span class="right">as of ${exactly(fleet?.as_of ?? formatTimestamp(visit.now))}</span>
      </div>
      ${filters(
        visit,
        environments(visit, fleet),
        spanFilter(visit, span, DEFAULT_SPAN),
        field(visit, 'exclude', 'exclude nodes', 'laptop'),
      )}${panel(visit, found.map, ({ fleet }) => tiles(visit, fleet))}${
        isNew(visit, fleet) ? welcome(visit) : body(visit, view, span, found)
      }`,
  }
}

function titleOf({ timeline, causes }: Found, fleet: Fleet | null, { name }: Span): string {
  const nodes = fleet === null ? '' : ` · ${counted(fleet.nodes, 'node')}`
  if (!('answer' in causes)) return `Fleet${nodes} · ${name}`
  const { failing } = causes.answer
  const open = openCauses(causes.answer)
  return failing
    ? `${counted(failing, 'node')} failing, ${open}${nodes} · ${name}`
    : `${runCountOf(timeline) === 0 ? 'No runs' : 'Nothing fails'}${nodes} · ${name}`
}

/** The number of causes by which nodes fail now. */
function openCauses({ items, total }: CauseList): string {
  const open = items.filter(({ failing }) => failing !== 0).length
  return open === items.length && total > open
    ? `${number(open)} or more causes`
    : counted(open, 'cause')
}

/** The heading: how many nodes fail now, which is what the tile says, and by how many causes. */
function headline({ timeline, causes }: Found, { name }: Span): Html {
  if (!('answer' in causes)) return html`Fleet`
  const { failing, nodes } = causes.answer
  if (failing)
    return html`${counted(failing, 'node')} failing by ${openCauses(causes.answer)}
      <span class="muted">now</span>`
  if (runCountOf(timeline) === 0) return html`No runs <span class="muted">${name}</span>`
  return nodes === 0
    ? html`Nothing failed <span class="muted">${name}</span>`
    : html`Nothing fails now <span class="muted">${counted(nodes, 'node')} failed, ${name}</span>`
}

const environments = (visit: Visit, fleet: Fleet | null): Html[] | Html =>
  fleet === null
    ? keep(visit, ['env'])
    : selectField(visit, 'env', 'environment', [
        ['', 'all'],
        ...fleet.environments.flatMap(({ environment, nodes }): [string, string][] =>
          environment === null ? [] : [[environment, `${environment} (${number(nodes)})`]],
        ),
        ...chosenEnvironment(visit, fleet),
      ])

/** The chosen environment, if the fleet has no count for it: the filter must still show it. */
function chosenEnvironment({ url }: Visit, { environments }: Fleet): [string, string][] {
  const chosen = url.searchParams.get('env')
  return !chosen || environments.some(({ environment }) => environment === chosen)
    ? []
    : [[chosen, chosen]]
}

interface Found {
  readonly map: Panel<{ readonly map: NodeMap; readonly fleet: Fleet }>
  readonly timeline: Panel<Timeline>
  readonly causes: Panel<CauseList>
  readonly broken: Panel<readonly BrokenNode[]>
  readonly nodes: Panel<Omit<Rows<NodeRow>, 'total'>>
}

function body(visit: Visit, view: View, span: Span, found: Found): Html {
  const { timeline, causes, nodes } = found
  const { url, now } = visit
  const kept = chosenOf(url, OF_RUNS)
  const scoped = chosenOf(url, OF_NODES)
  return html`<section aria-label="Runs over time">
      ${panel(visit, timeline, (answer) => runs(visit, answer, span))}
    </section>
    <section>
      <div class="head">
        <h2>What broke</h2>
        ${tabs(
          'Causes',
          ['reason', 'resource', 'class', 'location'].map((by) => [
            address('/console/causes', { ...kept, by: by === 'reason' ? null : by }),
            `by ${by}`,
            false,
          ]),
        )}<span class="right"
          >${exports(visit, failuresQuery(visit, span), { path: '/console/causes', span })}</span
        >
      </div>
      ${panel(
        visit,
        causes,
        (answer) =>
          html`${answer.items.length === 0 ? nothing(allClear(timeline, span)) : causeList(answer, now, kept)}${
            answer.total > answer.items.length
              ? html`<p>
                  <a href="${address('/console/causes', kept)}"
                    >All ${counted(answer.total, 'cause')}</a
                  >
                </p>`
              : ''
          }`,
      )}
    </section>
    ${mapSection(visit, view, found)}
    <section>
      <div class="head">
        <h2>Nodes</h2>
        <small>worst first</small
        ><span class="right"
          >${exports(visit, pqlOf('nodes', nodeTerms(visit, 'report_environment')), { path: '/console/nodes', search: new URL(address('/console/nodes', scoped), url).search })}</span
        >
      </div>
      ${panel(
        visit,
        nodes,
        (answer) =>
          html`${nodeTable(answer.items, now, STRIP_RUNS)}
            <nav class="pager" aria-label="Pages of the list">
              <span
                >${part(answer.items.length, answerOf(found.map)?.fleet.nodes ?? answer.items.length, 'node')}</span
              >${
                answer.next === null
                  ? ''
                  : html`<a href="${address('/console/nodes', { ...scoped, cursor: answer.next })}"
                      >next page ›</a
                    >`
              }
            </nav>`,
      )}
    </section>`
}

function mapSection(visit: Visit, view: View, { map, broken }: Found): Html {
  if (!('answer' in map)) return ''
  const { by } = map.answer.map
  return html`<section>
    <div class="head">
      <h2>Fleet map</h2>
      <small>one cell a node</small>
      ${tabs(
        'Groups of the map',
        MAP_GROUPINGS.map((name) => [
          changed(visit.url, { map: name === 'group' ? null : name }),
          `by ${name}`,
          name === by,
        ]),
      )}<span class="right"
        ><a href="${address('/console/wall', chosenOf(visit.url, OF_RUNS))}">Wall</a></span
      >
    </div>
    ${nodeMap(visit, view, map.answer.map, failingCodeOf(view, answerOf(broken) ?? [], map.answer.map))}
  </section>`
}

/** The number of runs in the span; null if it could not be read. Zero failures mean nothing without runs. */
export const runCountOf = (timeline: Panel<Timeline>): number | null =>
  answerOf(timeline)?.runs ?? null

/** The sentence for a span without failures, with its number of runs. */
function allClear(timeline: Panel<Timeline>, { name }: Span): Html {
  const runs = runCountOf(timeline)
  if (runs === 0) return html`No runs (${name}). <a href="/console?since=all">Show all time</a>`
  return html`No failed runs (${name})${runs === null ? '' : html`, of ${counted(runs, 'run')}`}.`
}

/** A query for the failed events of the page's runs. */
export function failuresQuery(visit: Visit, span: Span): string {
  const terms = termsOf(visit, span)
  return pqlOf('events', [
    'status = "failure"',
    terms.some(Boolean) && `report in ${pqlOf('reports[hash]', terms)}`,
  ])
}

function runs(visit: Visit, timeline: Timeline, span: Span): Html {
  const { deploys, bucket } = timeline
  // The span ends after now, for clocks that are ahead. Future buckets without runs are not drawn.
  const buckets = timeline.buckets.filter(
    ({ start, runs }) => runs > 0 || Date.parse(start) <= visit.now,
  )
  const scoped = chosenOf(visit.url, OF_NODES)
  const href = (start: number, end: number): string =>
    address('/console/reports', {
      ...scoped,
      from: formatTimestamp(start),
      to: formatTimestamp(end),
    })
  const shown = deploys.slice(-6)
  return html`${heading(`Runs per ${bucket}`, html`${counted(timeline.runs, 'run')}, ${span.name}`)}
    ${bars({ ...timeline, buckets }, href)}
    <div class="axis">
      <span>${when(buckets[0]?.start ?? null, visit.now)}</span><span>newest right</span>
    </div>
    ${
      shown.length === 0
        ? ''
        : html`<p class="legend muted">
            New code:
            ${each(shown, ({ time, environment, code_version }) => html`<span>${icon('deploy')} ${when(time, visit.now)} <a class="mono" href="${changed(visit.url, { since: null, from: time, to: null })}">${short(code_version)}</a> ${environment}</span>`)}
          </p>`
    }`
}

/** Whether no node has ever reported. Unknown under filters and restrictions, which may hide nodes. */
const isNew = ({ url, reader }: Visit, fleet: Fleet | null): boolean =>
  fleet?.nodes === 0 &&
  fleet.never_reported === 0 &&
  reader.restrictions === null &&
  !Object.values(chosenOf(url, OF_NODES)).some(Boolean)

/** Tells the operator of a new installation how to make agents report here. */
const welcome = ({ url }: Visit): Html =>
  html`<div class="note">
    <p>
      No node has reported yet. Two lines in <code>puppetdb.conf</code> of a puppetserver make its
      agents report here:
    </p>
    <pre>${`[main]\nserver_urls = ${url.origin}`}</pre>
  </div>`

export const fleetPage: PageRoute = {
  path: '',
  menu: { name: 'Fleet', key: 'f' },
  show,
}
