/** The fleet page: states of nodes, runs over time, causes of failure, the worst nodes. Read in one round trip. */

import { causeListRead, type CauseList } from '../../insight/causes/cause-list.ts'
import { breakagesRead, type Breakage } from '../../insight/deploys/breakages.ts'
import { failingCodeOf } from '../../insight/deploys/failing-code.ts'
import type { Fleet, FleetCounts } from '../../insight/fleet.ts'
import { incidentOf } from '../../insight/incident/incident.ts'
import type { CountedPage as Rows } from '../../insight/list-pages.ts'
import { MAP_GROUPINGS, nodeMapRead, type FleetMap } from '../../insight/nodes/node-map.ts'
import { nodeRowsRead } from '../../insight/nodes/node-list.ts'
import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { ALL_STATES } from '../../schema/states.ts'
import { type Timeline, timelineRead } from '../../insight/timeline.ts'
import type { View } from '../../insight/view.ts'
import { inOneStatement, namedReads, NO_READ } from '../../store/batch-read.ts'
import { address, chosenOf, OF_NODES, OF_RUNS, OF_SPAN, pqlOf } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { causeList, DEFAULT_SPAN } from '../parts/cause.ts'
import { card, exports, nothing, panel } from '../parts/list.ts'
import { incidentOfFleet } from '../parts/incident.ts'
import { silenceOfFleet } from '../parts/silence.ts'
import { icon } from '../parts/mark.ts'
import { bucketOf, charted, deploysPart, runsPart } from '../parts/fleet-runs.ts'
import { mapCard } from '../parts/map-card.ts'
import { acknowledgedPart, allAcknowledged, marksOf, openCauses } from '../parts/open-causes.ts'
import { nodeTable } from '../parts/node-rows.ts'
import { stateBar } from '../parts/state-bar.ts'
import { welcome } from '../parts/welcome.ts'
import type { PageScope } from '../page-scope.ts'
import { unknownEnvironment } from '../scope-bar.ts'
import type { Span } from '../span.ts'
import { chosen } from '../states.ts'
import {
  answerOf,
  everywhereRead,
  resolveView,
  nodeTerms,
  panels,
  partOf,
  termsOf,
  type Panel,
  type Visit,
} from '../visit.ts'
import { counted, number, part } from '../format.ts'

const NODES = 25
const CAUSES = 10
export const STRIP_RUNS = 24

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const { runs, ...others } = await panels(visit, {
    map: nodeMapRead(view, { by: chosen(visit.url.searchParams, 'map', MAP_GROUPINGS, 'group') }),
    runs: inOneStatement(
      namedReads({
        timeline: timelineRead(charted(view), { bucket: bucketOf(span), certname: null }),
        everywhere: isScoped(visit) ? everywhereRead(view) : NO_READ,
      }),
    ),
    causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: CAUSES }),
    breakages: breakagesRead(view),
    nodes: nodeRowsRead(view, {
      ...ALL_STATES,
      silent: null,
      search: null,
      sort: 'worst',
      cursor: null,
      limit: NODES,
      runs: STRIP_RUNS,
    }),
  })
  const found = {
    ...others,
    timeline: partOf(runs, ({ timeline }) => timeline),
    everywhere: partOf(runs, ({ everywhere }) => everywhere),
  }
  const fleet = answerOf(found.map)?.fleet ?? null
  return {
    title: titleOf(found, fleet, span),
    inTitle: OF_SPAN,
    ...marksOf(answerOf(found.causes), fleet),
    live: true,
    ...newestOf(fleet?.newest ?? null),
    scope: { span, environments: environmentsOf(found) },
    body: html`<h1 class="sr">${headline(found, fleet, span)}</h1>
      ${panel(visit, found.map, ({ fleet }) => html`${silenceOfFleet(visit, fleet) ?? ''}${sentence(visit, view, found, fleet, span)}${fleet.nodes === 0 ? '' : stateBar(visit, fleet)}`)}${
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
    : `${quietTitle(timeline, fleet)}${nodes} · ${name}`
}

/** Where nothing fails that is heard of: whether that may be said of the fleet. */
function quietTitle(timeline: Panel<Timeline>, fleet: Fleet | null): string {
  if (runCountOf(timeline) === 0) return 'No runs'
  if (fleet?.calm !== false) return fleet === null ? 'Fleet' : 'Nothing fails'
  return fleet.silent === 0 ? 'No recent runs' : `${number(fleet.silent)} silent`
}

/** The heading: how many nodes fail now, which is what the tile says, and by how many causes. */
function headline({ timeline, causes }: Found, fleet: Fleet | null, { name }: Span): Html {
  if (!('answer' in causes)) return html`Fleet`
  const { failing, nodes } = causes.answer
  if (failing)
    return html`${counted(failing, 'node')} failing now,
      <span class="muted">${openCauses(causes.answer)}${acknowledgedPart(causes.answer)}</span>`
  if (runCountOf(timeline) === 0) return html`No runs <span class="muted">${name}</span>`
  if (fleet?.calm !== true) return html`${quietTitle(timeline, fleet)}`
  return nodes === 0
    ? html`Nothing failed <span class="muted">${name}</span>`
    : html`Nothing fails now <span class="muted">${counted(nodes, 'node')} failed, ${name}</span>`
}

/** Whether the page shows some nodes only. */
const isScoped = ({ url }: Visit): boolean => Object.values(chosenOf(url, OF_NODES)).some(Boolean)

const environmentsOf = ({ everywhere, map }: Found): PageScope['environments'] =>
  (answerOf(everywhere) ?? answerOf(map)?.fleet)?.environments ?? null

/** The incident; nothing where a part of its evidence could not be read. */
function burning(visit: Visit, view: View, { causes, breakages, map }: Found): Html {
  if (!('answer' in causes && 'answer' in breakages && 'answer' in map)) return ''
  const found = incidentOf(view, {
    causes: causes.answer.items,
    breakages: breakages.answer,
    map: map.answer.map,
  })
  if (found !== null) {
    const cause = causes.answer.items.find((one) => one.cause === found.cause)
    const others = (causes.answer.failing ?? 0) - found.failing
    return incidentOfFleet(found, { cause, others }, visit)
  }
  const quiet = causes.answer.items.filter((one) => one.acknowledged?.holds)
  return quiet.length === 0 ? '' : allAcknowledged(quiet, visit.now)
}

/** One line about what fails now, above the evidence; the page of a cause says more. */
function sentence(visit: Visit, view: View, found: Found, fleet: Fleet, span: Span): Html {
  const unknown = unknownEnvironment(visit, environmentsOf(found))
  if (unknown !== '') return nothing(unknown)
  if (fleet.nodes === 0 || !('answer' in found.causes)) return ''
  const { failing, items } = found.causes.answer
  if (failing) return burning(visit, view, found)
  const runs = runCountOf(found.timeline)
  if (!runs || fleet.silent === fleet.nodes) return ''
  const over =
    items.length === 0
      ? ''
      : ` ${counted(items.length, 'cause')} of the ${span.name} ${items.length === 1 ? 'is' : 'are'} resolved.`
  return html`<section
    class="incident ${fleet.calm ? 'calm' : 'open'}"
    aria-label="State of the fleet"
    data-live="sentence"
  >
    ${icon(fleet.calm ? 'ok' : 'clock')}
    <p class="lead">
      ${fleet.calm ? html`<b>Nothing fails</b> on ${counted(fleet.nodes, 'node')}` : html`None of the ${counted(fleet.nodes - fleet.silent, 'node')} that report fails`},
      after ${counted(runs, 'run')} in the ${span.name}.${over}
    </p>
  </section>`
}

interface Found {
  readonly map: Panel<{ readonly map: FleetMap; readonly fleet: Fleet }>
  readonly timeline: Panel<Timeline>
  readonly causes: Panel<CauseList>
  readonly breakages: Panel<readonly Breakage[]>
  /** Of all environments, where the others show some nodes only. */
  readonly everywhere: Panel<FleetCounts | null>
  readonly nodes: Panel<Omit<Rows<NodeRow>, 'total'>>
}

function body(visit: Visit, view: View, span: Span, found: Found): Html {
  const { timeline, map, breakages } = found
  const code =
    'answer' in map ? failingCodeOf(view, answerOf(breakages) ?? [], map.answer.map) : null
  return html`<div class="cols">
      <div class="col">
        ${panel(visit, timeline, (answer) => runsPart(visit, answer, { span, code }))}
        ${causesPart(visit, span, found)}
      </div>
      <div class="col">
        ${mapCard(visit, view, map, code)}
        ${panel(visit, timeline, (answer) => deploysPart(visit, answer, answerOf(breakages) ?? []))}
      </div>
    </div>
    ${nodesPart(visit, found)}`
}

function causesPart(visit: Visit, span: Span, { causes, breakages, timeline }: Found): Html {
  const kept = chosenOf(visit.url, OF_RUNS)
  return card(
    {
      name: 'Failing now',
      note:
        'answer' in causes && causes.answer.failing
          ? html`${openCauses(causes.answer)} on
            ${counted(causes.answer.failing, 'node')}${acknowledgedPart(causes.answer)}`
          : '',
      actions: [
        html`<details class="menu end" name="menu">
          <summary>By <b>reason</b></summary>
          <ul>
            ${each(
              ['resource', 'class', 'location'],
              (by) =>
                html`<li>
                  <a href="${address('/console/causes', { ...kept, by })}">by ${by}</a>
                </li>`,
            )}
          </ul>
        </details>`,
        exports(visit, failuresQuery(visit, span), { path: '/console/causes', span }),
      ],
    },
    panel(
      visit,
      causes,
      (answer) =>
        html`${answer.items.length === 0 ? nothing(allClear(timeline, span)) : causeList(answer, visit.now, kept, answerOf(breakages) ?? [])}${
          answer.total > answer.items.length
            ? html`<p class="foot">
                <a href="${address('/console/causes', kept)}"
                  >All ${counted(answer.total, 'cause')}</a
                >
              </p>`
            : ''
        }`,
    ),
  )
}

function nodesPart(visit: Visit, { nodes, map }: Found): Html {
  const scoped = chosenOf(visit.url, OF_RUNS)
  return card(
    {
      name: 'Nodes',
      note: 'worst first',
      actions: [
        html`<a class="btn plain" href="${address('/console/nodes', scoped)}">All nodes</a>`,
        exports(visit, pqlOf('nodes', nodeTerms(visit, 'report_environment')), {
          path: '/console/nodes',
          search: new URL(address('/console/nodes', scoped), visit.url).search,
        }),
      ],
    },
    panel(
      visit,
      nodes,
      (answer) =>
        html`${nodeTable(answer.items, visit.now, { strips: STRIP_RUNS })}
          <nav class="pager foot" aria-label="Pages of the list">
            <span
              >${part(answer.items.length, answerOf(map)?.fleet.nodes ?? answer.items.length, 'node')}</span
            >${
              answer.next === null
                ? ''
                : html`<a
                    class="btn"
                    href="${address('/console/nodes', { ...scoped, cursor: answer.next })}"
                    >Next ${NODES}</a
                  >`
            }
          </nav>`,
    ),
  )
}

/** The number of runs in the span; null if it could not be read. Zero failures mean nothing without runs. */
export const runCountOf = (timeline: Panel<Timeline>): number | null =>
  answerOf(timeline)?.runs ?? null

/** The sentence for a span without failures, with its number of runs. */
function allClear(timeline: Panel<Timeline>, { name }: Span): Html {
  const runs = runCountOf(timeline)
  if (runs === 0) return html`No runs (${name}). <a href="/console?since=all">Show all time</a>`
  return html`No failed runs (${name})${runs === null ? '' : html`, in ${counted(runs, 'run')}`}.`
}

/** A query for the failed events of the page's runs. */
export function failuresQuery(visit: Visit, span: Span): string {
  const terms = termsOf(visit, span)
  return pqlOf('events', [
    'status = "failure"',
    terms.some(Boolean) && `report in ${pqlOf('reports[hash]', terms)}`,
  ])
}

/** Whether no node has ever reported. Unknown under filters and restrictions, which may hide nodes. */
const isNew = (visit: Visit, fleet: Fleet | null): boolean =>
  fleet?.nodes === 0 &&
  fleet.never_reported === 0 &&
  visit.reader.restrictions === null &&
  !isScoped(visit)
