/** The fleet page: what burns, what is worth a look, runs over time and the map. Read in one round trip. */

import { OF_SPAN } from '../address.ts'
import { html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { alsoFailing, firstPart, fleetTitle, headline, marksOf } from '../parts/burning.ts'
import { deploysPart, runsPart } from '../parts/fleet-runs.ts'
import { findFleet, type FoundFleet } from '../parts/found-fleet.ts'
import { panel } from '../parts/list.ts'
import { mapCard, wallMap } from '../parts/node-map.ts'
import { isNew, newcomers } from '../parts/welcome.ts'
import { worthPart } from '../parts/worth.ts'
import { answerOf, type Visit } from '../visit.ts'

/** Without script the browser asks for a new wall; with it, the parts are replaced in place. */
const REFRESH_SECONDS = 30

/** `/console?layout=wall` is the same for a screen on the wall: its CSS has other sizes, and there is no room for what is folded or below. */
export async function show(visit: Visit): Promise<Page> {
  const found = await findFleet(visit)
  const fleet = answerOf(found.map)?.fleet ?? null
  const { span, everywhere } = found
  const isWall = visit.url.searchParams.get('layout') === 'wall'
  const first = panel(visit, found.map, ({ fleet }) => firstPart(visit, found, fleet))
  return {
    ...marksOf(answerOf(found.causes), fleet),
    ...newestOf(fleet?.newest ?? null),
    title: fleetTitle(found, fleet),
    inTitle: OF_SPAN,
    scope: {
      span,
      environments: (everywhere ?? fleet)?.environments ?? null,
      nodes: fleet?.nodes ?? null,
    },
    ...(isWall && { layout: 'wall', refresh: REFRESH_SECONDS }),
    body: isWall
      ? html`<h1>${headline(found, fleet)}</h1>
          ${first}${wallMap(visit, found)}`
      : html`<h1 class="sr">${headline(found, fleet)}</h1>
          ${first}${newcomers(visit, found)}${isNew(visit, fleet) ? '' : rest(visit, found)}`,
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
