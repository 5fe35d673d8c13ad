/** The sentence on top of Fleet and the wall where most nodes are silent. */

import { silenceOf, type Silence } from '../../insight/incident/silence.ts'
import type { Fleet } from '../../insight/fleet.ts'
import { address, chosenOf, OF_NODES } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { icon } from './mark.ts'
import { moment } from './time.ts'

/** What is silent, since when; null while most nodes report. */
export function silenceWords(fleet: Fleet, now: number): Html | null {
  const found = silenceOf(fleet)
  return found === null ? null : wordsOf(found, now)
}

const wordsOf = ({ silent, nodes, newest }: Silence, now: number): Html =>
  silent === nodes
    ? html`<b>No report has come since ${moment(newest, now)}.</b>
        ${nodes === 1 ? 'The only node is' : `All ${number(nodes)} nodes are`} silent.`
    : html`<b>${number(silent)} of ${counted(nodes, 'node')} are silent.</b> What is said of them is
        what their last reports said.`

/** On Fleet, above what fails. That nothing reports at all is as bad as a failure. */
export function silenceOfFleet({ url, now }: Visit, fleet: Fleet): Html | null {
  const found = silenceOf(fleet)
  if (found === null) return null
  const isTotal = found.silent === found.nodes
  return html`<section
    class="incident${isTotal ? '' : ' open'}"
    aria-label="Silence"
    data-live="silence"
  >
    ${icon(isTotal ? 'alert' : 'clock')}
    <p class="lead">${wordsOf(found, now)}</p>
    <div class="acts">
      <a
        class="btn"
        href="${address('/console/nodes', { ...chosenOf(url, OF_NODES), state: 'silent' })}"
        >Silent nodes</a
      >
    </div>
  </section>`
}
