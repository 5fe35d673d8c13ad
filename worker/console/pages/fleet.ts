/** The fleet page: what burns, what is worth a look, runs over time and the map. Read in one round trip. */

import type { CauseList } from '../../insight/causes/cause-list.ts'
import type { Fleet } from '../../insight/fleet.ts'
import type { Timeline } from '../../insight/timeline.ts'
import { address, chosenOf, OF_RUNS, OF_SPAN } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { SAMPLE_CERTNAMES } from '../../schema/sample-fleet.ts'
import { newestOf, type Page } from '../page.ts'
import { causeList } from '../parts/cause.ts'
import { deploysPart, runsPart } from '../parts/fleet-runs.ts'
import { findFleet, type FoundFleet } from '../parts/found-fleet.ts'
import { incidentOfFleet } from '../parts/incident.ts'
import { card, nothing, panel } from '../parts/list.ts'
import { mapCard } from '../parts/map-card.ts'
import { icon } from '../parts/mark.ts'
import { acknowledgedPart, allAcknowledged, marksOf, openCauses } from '../parts/open-causes.ts'
import { silenceOfFleet } from '../parts/silence.ts'
import { sincePart } from '../parts/since.ts'
import { stateBar } from '../parts/state-bar.ts'
import { wallPage } from '../parts/wall.ts'
import { sampleNote, welcome } from '../parts/welcome.ts'
import { worthPart } from '../parts/worth.ts'
import { unknownEnvironment } from '../parts/list-card.ts'
import type { Span } from '../span.ts'
import { answerOf, isScoped, resolveView, type Panel, type Visit } from '../visit.ts'

/** The wall is a layout of this page: `/console?layout=wall`. */
export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit)
  const found = await findFleet(visit, view, span)
  const fleet = answerOf(found.map)?.fleet ?? null
  const page = {
    ...marksOf(answerOf(found.causes), fleet),
    live: true,
    ...newestOf(fleet?.newest ?? null),
  } as const
  if (visit.url.searchParams.get('layout') === 'wall') return { ...page, ...wallPage(visit, found) }
  return {
    ...page,
    title: titleOf(found, fleet, span),
    inTitle: OF_SPAN,
    scope: {
      span,
      environments: (found.everywhere ?? fleet)?.environments ?? null,
      nodes: fleet?.nodes ?? null,
    },
    body: html`<h1 class="sr">${headline(found, fleet, span)}</h1>
      ${panel(visit, found.map, ({ fleet }) => html`${sentence(visit, found, fleet)}${silenceOfFleet(visit, fleet) ?? ''}${fleet.nodes === 0 ? '' : html`${stateBar(visit, fleet)}${sincePart(visit, found.since, fleet)}`}`)}${
        isNew(visit, fleet)
          ? welcome(visit)
          : html`${isSample(visit, found) ? sampleNote(visit) : ''}${body(visit, found)}`
      }`,
  }
}

function titleOf({ timeline, causes }: FoundFleet, fleet: Fleet | null, { name }: Span): string {
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
function headline({ timeline, causes }: FoundFleet, fleet: Fleet | null, { name }: Span): Html {
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

/** What burns, with its nodes; or that all of it is acknowledged. */
function burning(visit: Visit, { causes, incident, failing, newestCode }: FoundFleet): Html {
  const items = answerOf(causes)?.items ?? []
  if (incident !== null) {
    const cause = items.find((one) => one.cause === incident.cause)
    return incidentOfFleet(
      incident,
      { cause, newestCode, nodes: failing.get(incident.cause) ?? [] },
      visit,
    )
  }
  const quiet = items.filter((one) => one.acknowledged?.holds)
  return quiet.length === 0 ? '' : allAcknowledged(quiet, visit.now)
}

/** One line about what fails now, above the evidence; the page of a cause says more. */
function sentence(visit: Visit, found: FoundFleet, fleet: Fleet): Html {
  const { everywhere, causes, timeline, span } = found
  const unknown = unknownEnvironment(visit, (everywhere ?? fleet).environments)
  if (unknown !== '') return nothing(unknown)
  if (fleet.nodes === 0) return isNew(visit, fleet) ? '' : nothing('No node matches.')
  if (!('answer' in causes)) return ''
  const { failing, items } = causes.answer
  if (failing) return burning(visit, found)
  const runs = runCountOf(timeline)
  if (runs === null || fleet.silent === fleet.nodes) return ''
  if (runs === 0) return nothing(`No run came in the ${span.name}.`)
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

/** On calm days what is worth a look comes before the runs. */
function body(visit: Visit, found: FoundFleet): Html {
  const { timeline, map, breakages, worth, view, code, span, causes } = found
  const runs = panel(visit, timeline, (answer) => runsPart(visit, answer, { span, code }))
  const look = panel(visit, worth, (answer) => worthPart(visit, answer))
  const isBurning = (answerOf(causes)?.failing ?? 0) > 0
  return html`<div class="cols">
    <div class="col">
      ${isBurning ? [runs, causesPart(visit, found), look] : [look, runs, causesPart(visit, found)]}
    </div>
    <div class="col">
      ${mapCard(visit, view, map, code)}
      ${panel(visit, timeline, (answer) => deploysPart(visit, answer, breakages))}
    </div>
  </div>`
}

/** What fails besides the incident. An empty list has no heading. */
function causesPart(
  visit: Visit,
  { span, causes, breakages, failing, incident }: FoundFleet,
): Html {
  const kept = chosenOf(visit.url, OF_RUNS)
  if (!('answer' in causes)) return html`<p class="note">${causes.missing}</p>`
  const { items, total } = causes.answer
  const open = items.filter((one) => one.failing !== 0 && one.cause !== incident?.cause)
  const over = items.filter((one) => one.failing === 0).length
  const shown = over + open.length + (incident === null ? 0 : 1)
  const foot =
    over === 0 && total <= shown
      ? NONE
      : html`<p class="foot">
          <a href="${address('/console/causes', kept)}"
            >${total > shown ? `All ${counted(total, 'cause')}` : `${counted(over, 'cause')} came and went`}</a
          >${total > shown ? '' : ` in the ${span.name}`}
        </p>`
  if (open.length === 0 && foot === NONE) return NONE
  if (open.length === 0) return html`<section class="card">${foot}</section>`
  const list: CauseList = { ...causes.answer, items: open }
  return card(
    {
      name: incident === null ? 'Failing, acknowledged' : 'Also failing',
      note: counted(open.length, 'cause'),
    },
    html`${causeList(visit, list, { breakages, failing })}${foot}`,
  )
}

/** The number of runs in the span; null if it could not be read. Zero failures mean nothing without runs. */
const runCountOf = (timeline: Panel<Timeline>): number | null => answerOf(timeline)?.runs ?? null

/** Whether no node has ever reported. Unknown under filters and restrictions, which may hide nodes. */
const isNew = (visit: Visit, fleet: Fleet | null): boolean =>
  fleet?.nodes === 0 &&
  fleet.never_reported === 0 &&
  visit.reader.restrictions === null &&
  !isScoped(visit)

/** Whether the fleet is the sample fleet of a new installation. */
function isSample(visit: Visit, { map }: FoundFleet): boolean {
  const groups = answerOf(map)?.map.groups ?? []
  return (
    groups.length > 0 &&
    !isScoped(visit) &&
    groups.every(({ cells }) => cells.every(({ certname }) => SAMPLE_CERTNAMES.includes(certname)))
  )
}
