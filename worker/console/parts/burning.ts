/** What burns: Fleet's heading and first sentence, and what fails besides the incident. */

import type { CauseList, CauseSummary } from '../../insight/causes/cause-list.ts'
import type { Fleet } from '../../insight/fleet.ts'
import { address, causeAddress, chosenOf, OF_RUNS } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { answerOf, type Visit } from '../visit.ts'
import { causeList } from './cause.ts'
import type { FoundFleet } from './found-fleet.ts'
import { incidentOfFleet } from './incident.ts'
import { card, nothing } from './list.ts'
import { unknownEnvironment } from './list-card.ts'
import { said } from './said.ts'
import { silenceOfFleet } from './silence.ts'
import { sincePart } from './since.ts'
import { stateBar } from './state-bar.ts'
import { moment } from './time.ts'
import { isNew } from './welcome.ts'

/**
 * What the menu, the title and the icon show: the open causes, and that a cause is open or a group is silent.
 *
 * @param causes null where they could not be read, or are grouped otherwise
 */
export const marksOf = (
  causes: CauseList | null,
  fleet: Pick<Fleet, 'silent_groups'> | null,
): Pick<Page, 'openCauses' | 'isMarked'> => ({
  openCauses: causes?.open ?? 0,
  isMarked: (causes?.open ?? 0) > 0 || (fleet?.silent_groups.length ?? 0) > 0,
})

/** The number of causes by which nodes fail now, acknowledged or not. */
function openCauses({ items, total }: CauseList): string {
  const open = items.filter(({ failing }) => failing !== 0).length
  return open === items.length && total > open
    ? `${number(open)} or more causes`
    : counted(open, 'cause')
}

/** Where nothing fails that is heard of: whether that may be said of the fleet. */
function quietTitle({ timeline }: FoundFleet, fleet: Fleet | null): string {
  if (answerOf(timeline)?.runs === 0) return 'No runs'
  if (fleet?.calm !== false) return fleet === null ? 'Fleet' : 'Nothing fails'
  return fleet.silent === 0 ? 'No recent runs' : `${number(fleet.silent)} silent`
}

/** The title of Fleet: how many nodes fail now, which is what the bar says, and by how many causes. */
export function fleetTitle(found: FoundFleet, fleet: Fleet | null): string {
  const nodes = fleet === null ? '' : ` · ${counted(fleet.nodes, 'node')}`
  const causes = answerOf(found.causes)
  const first =
    causes === null
      ? 'Fleet'
      : causes.failing
        ? `${counted(causes.failing, 'node')} failing, ${openCauses(causes)}`
        : quietTitle(found, fleet)
  return `${first}${nodes} · ${found.span.name}`
}

/** The heading, which is read aloud only. */
export function headline(found: FoundFleet, fleet: Fleet | null): string {
  const causes = answerOf(found.causes)
  if (causes === null) return 'Fleet'
  const { failing, acknowledged, nodes } = causes
  if (failing)
    return `${counted(failing, 'node')} failing now, ${openCauses(causes)}${acknowledged?.causes ? `, ${number(acknowledged.causes)} acknowledged` : ''}`
  const quiet = quietTitle(found, fleet)
  return quiet === 'Nothing fails' && nodes > 0
    ? `Nothing fails now, ${counted(nodes, 'node')} failed, ${found.span.name}`
    : `${quiet}, ${found.span.name}`
}

/** What is said first; of a scope without nodes, why it has none. */
export function firstPart(visit: Visit, found: FoundFleet, fleet: Fleet): Html {
  const unknown = unknownEnvironment(visit, (found.everywhere ?? fleet).environments)
  if (unknown !== '') return nothing(unknown)
  if (fleet.nodes === 0) return isNew(visit, fleet) ? NONE : nothing('No node matches.')
  return html`${burningPart(visit, found, fleet)}${silenceOfFleet(visit, fleet) ?? ''}${stateBar(visit, fleet)}${sincePart(visit, found.since, fleet)}`
}

/** What burns, with its nodes; that all of it is acknowledged; or that nothing fails, where that may be said. */
function burningPart(visit: Visit, found: FoundFleet, fleet: Fleet): Html {
  const causes = answerOf(found.causes)
  if (causes === null) return NONE
  const { failing, items } = causes
  if (failing) return failingPart(visit, found, items)
  const { span } = found
  const runs = answerOf(found.timeline)?.runs ?? null
  if (runs === null || fleet.silent === fleet.nodes) return NONE
  if (runs === 0) return nothing(`No run came in the ${span.name}.`)
  const over =
    items.length === 0
      ? ''
      : html` <a href="${address('/console/causes', chosenOf(visit.url, OF_RUNS))}"
            >${counted(items.length, 'cause')}</a
          >
          of the ${span.name} ${items.length === 1 ? 'is' : 'are'} resolved.`
  return said({
    label: 'State of the fleet',
    look: fleet.calm ? 'calm' : 'open',
    lead: html`${fleet.calm ? html`<b>Nothing fails</b> on ${counted(fleet.nodes, 'node')}` : noneOf(fleet.nodes - fleet.silent)},
    after ${counted(runs, 'run')} in the ${span.name}.${over}`,
  })
}

/** Of the nodes that report, as others are silent. */
const noneOf = (nodes: number): string =>
  nodes === 1
    ? 'The one node that reports does not fail'
    : `None of the ${number(nodes)} nodes that report fails`

function failingPart(
  visit: Visit,
  { incident, failing }: FoundFleet,
  items: readonly CauseSummary[],
): Html {
  if (incident !== null) {
    const cause = items.find((one) => one.cause === incident.cause)
    const nodes = failing.get(incident.cause) ?? []
    return incidentOfFleet(incident, { cause, nodes }, visit)
  }
  const held = items.filter(({ acknowledged }) => acknowledged?.holds)
  if (held.length === 0) return NONE
  return said({
    label: 'Incident',
    look: 'calm',
    lead: html`<b>Nothing new fails.</b> ${each(
        held,
        ({ cause, reason, failing, acknowledged }) =>
          html`${counted(failing ?? 0, 'node')}: <a href="${causeAddress(cause!)}">${reason}</a>,
            acknowledged by ${acknowledged!.by} until ${moment(acknowledged!.until, visit.now)}. `,
      )}`,
  })
}

/** What fails besides the incident. An empty list has no heading. */
export function alsoFailing(visit: Visit, found: FoundFleet): Html {
  const { span, causes, breakages, failing, incident } = found
  if (!('answer' in causes)) return nothing(causes.missing)
  const { items, total } = causes.answer
  const open = items.filter((one) => one.failing !== 0 && one.cause !== incident?.cause)
  const over = items.filter((one) => one.failing === 0).length
  const isCut = total > over + open.length + (incident === null ? 0 : 1)
  const foot =
    over === 0 && !isCut
      ? NONE
      : html`<p class="foot">
          <a href="${address('/console/causes', chosenOf(visit.url, OF_RUNS))}"
            >${isCut ? `All ${counted(total, 'cause')}` : `${counted(over, 'cause')} came and went`}</a
          >${isCut ? '' : ` in the ${span.name}`}
        </p>`
  // Where nothing fails, the sentence above leads to what came and went.
  if (open.length === 0)
    return incident === null || foot === NONE ? NONE : html`<section class="card">${foot}</section>`
  return card(
    {
      name: incident === null ? 'Failing, acknowledged' : 'Also failing',
      note: counted(open.length, 'cause'),
    },
    html`${causeList(visit, { ...causes.answer, items: open }, { breakages, failing })}${foot}`,
  )
}
