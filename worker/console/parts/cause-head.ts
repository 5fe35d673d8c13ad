/** The head of a cause's page: its words, and the sentence of what fails by it, who works on it, or since when it is over. */

import type { Acknowledgement } from '../../insight/causes/acknowledgement.ts'
import type { CausePage } from '../../insight/causes/cause-page.ts'
import type { Incident } from '../../insight/incident/incident.ts'
import { short } from '../../lib/code-version.ts'
import { backAt } from '../../schema/acknowledgement.ts'
import { address } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { mayAdminister, type Visit } from '../visit.ts'
import { place } from './cause.ts'
import type { FoundCause } from './found-cause.ts'
import { withoutReason } from './incident.ts'
import { exports, title } from './list.ts'
import { icon } from './mark.ts'
import { said } from './said.ts'
import { moment, when } from './time.ts'

export function causeHead(visit: Visit, { cause, incident, span }: FoundCause): Html {
  const { failing, acknowledged, reason } = cause
  const isQuiet = failing === 0 || acknowledged?.holds === true
  return html`${title(
    html`<span class="${isQuiet ? 'muted' : 'failed'}">${icon('cross')}</span> ${reason}`,
    html`${cause.new ? html`<span class="tag failed">new</span> ` : ''}${place(cause)}`,
    html`${exports(visit, null, { span })}${mayAdminister(visit.reader) ? html`<a class="btn" href="${hookFormAddress(cause)}">Notify me</a>` : NONE}`,
    html`<a href="/console/causes">Causes</a>`,
  )}
  ${sentence(cause, incident, visit.now)}`
}

/** What burns, with what comes next; who works on it; or that it is over. */
function sentence(cause: CausePage, incident: Incident | null, now: number): Html {
  const { acknowledged } = cause
  const runs = runsOfCause(cause, now)
  const held = acknowledged?.holds ? acknowledged : null
  if (incident === null)
    return said({
      label: 'Incident',
      look: 'calm',
      lead: html`<b>No node fails because of this now.</b>
        ${runs}${held && html` Acknowledged by ${held.by} until ${moment(held.until, now)}: “${held.note}”`}`,
    })
  const words = withoutReason(incident, now)
  return held === null
    ? said({ label: 'Incident', lead: words, below: html`<p class="sub">${runs}</p>` })
    : said({
        label: 'Incident',
        look: 'open',
        lead: html`<b>Acknowledged</b> by ${held.by} at ${moment(held.at, now)}, until
          ${moment(held.until, now)}: “${held.note}”`,
        below: html`<p class="sub">${words} ${runs}</p>
          <p class="sub">${comesBack(held, now)}</p>`,
      })
}

const comesBack = ({ until, nodes }: Acknowledgement, now: number): Html =>
  html`It comes back at
  ${moment(until, now)}${nodes === null ? ', or when it has grown.' : html`, or when ${counted(backAt(nodes), 'node')} fail because of it (${number(nodes)} did when it was acknowledged).`}`

/** `First seen 3 h ago, with b71fe02c; 16 failed runs, the last 6 min ago.` */
const runsOfCause = (
  { first_seen, began_with, reports, last_seen }: CausePage,
  now: number,
): Html =>
  html`${first_seen === null ? '' : html`First seen ${when(first_seen, now)}${began_with === null ? '' : html`, with <b class="mono">${short(began_with.code_version)}</b>`}; `}${counted(reports, 'failed run')},
  the last ${when(last_seen, now)}.`

/** The address of the hook form, filled in for nodes that fail by this cause. */
const hookFormAddress = ({ cause }: CausePage): string =>
  address('/console/settings', { name: `cause-${cause.slice(0, 8)}`, transition: 'failed', cause })
