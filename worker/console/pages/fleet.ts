/** The fleet page: what burns, what is worth a look, runs over time and the map. Read in one round trip. */

import { OF_SPAN } from '../address.ts'
import { html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { alsoFailing, firstPart, fleetTitle, headline, marksOf } from '../parts/burning.ts'
import { deploysPart, runsPart } from '../parts/fleet-runs.ts'
import { findFleet, type FoundFleet } from '../parts/found-fleet.ts'
import { panel } from '../parts/list.ts'
import { mapCard } from '../parts/node-map.ts'
import { wallPage } from '../parts/wall.ts'
import { isNew, newcomers } from '../parts/welcome.ts'
import { worthPart } from '../parts/worth.ts'
import { answerOf, type Visit } from '../visit.ts'

/** The wall is a layout of this page: `/console?layout=wall`. */
export async function show(visit: Visit): Promise<Page> {
  const found = await findFleet(visit)
  const fleet = answerOf(found.map)?.fleet ?? null
  const page = {
    ...marksOf(answerOf(found.causes), fleet),
    live: true,
    ...newestOf(fleet?.newest ?? null),
  } as const
  if (visit.url.searchParams.get('layout') === 'wall') return { ...page, ...wallPage(visit, found) }
  const { span, everywhere } = found
  return {
    ...page,
    title: fleetTitle(found, fleet),
    inTitle: OF_SPAN,
    scope: {
      span,
      environments: (everywhere ?? fleet)?.environments ?? null,
      nodes: fleet?.nodes ?? null,
    },
    body: html`<h1 class="sr">${headline(found, fleet)}</h1>
      ${panel(visit, found.map, ({ fleet }) => firstPart(visit, found, fleet))}${newcomers(visit, found)}${isNew(visit, fleet) ? '' : rest(visit, found)}`,
  }
}

/** On calm days what is worth a look comes before the runs. */
function rest(visit: Visit, found: FoundFleet): Html {
  const { timeline, breakages, worth, causes } = found
  const runs = panel(visit, timeline, (answer) => runsPart(visit, answer, found))
  const look = panel(visit, worth, (answer) => worthPart(visit, answer))
  const also = alsoFailing(visit, found)
  return html`<div class="cols">
    <div class="col">${answerOf(causes)?.failing ? [runs, also, look] : [look, runs, also]}</div>
    <div class="col">
      ${mapCard(visit, found)}
      ${panel(visit, timeline, (answer) => deploysPart(visit, answer, breakages))}
    </div>
  </div>`
}
