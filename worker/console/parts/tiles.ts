/** The states of a fleet, one tile each. */

import type { Fleet } from '../../insight/fleet.ts'
import { address, chosenOf, OF_NODES } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { STATE_CHOICE_NAMES, STATE_CHOICES, type StateChoice } from '../states.ts'
import type { Visit } from '../visit.ts'
import { number } from '../format.ts'
import { icon } from './mark.ts'

/** The number of nodes in each state, with a link to their list. */
export function tiles({ url }: Visit, fleet: Fleet): Html {
  const of = fleet.nodes
  const parameters = chosenOf(url, OF_NODES)
  return html`<ul class="tiles">
    ${each(STATE_CHOICE_NAMES, (name) => {
      const choice = STATE_CHOICES[name]
      const count = countOf(fleet, choice)
      return html`<li>
        <a
          class="${choice.hue}${count === 0 ? ' zero' : ''}"
          href="${address('/console/nodes', { state: name, ...parameters })}"
          ><span class="m ${choice.hue}">${icon(choice.glyph, name === 'would')}${choice.name}</span
          ><b>${number(count)}</b><small>of ${number(of)}${silentToo(fleet, choice)}</small></a
        >
      </li>`
    })}
  </ul>`
}

const matching = ({ states }: Fleet, choice: StateChoice) =>
  states.filter(
    ({ state, noop }) =>
      choice.states?.includes(state) === true && (choice.noop === null || choice.noop === noop),
  )

const countOf = (fleet: Fleet, choice: StateChoice): number =>
  choice.silent === true
    ? fleet.silent
    : matching(fleet, choice).reduce((sum, { count }) => sum + count, 0)

/** The silent nodes within a state: a failed node that is silent counts as both. */
function silentToo(fleet: Fleet, choice: StateChoice): string {
  if (choice.silent === true) {
    return fleet.never_reported > 0 ? ` · ${number(fleet.never_reported)} never reported` : ''
  }
  const silent = matching(fleet, choice).reduce((sum, one) => sum + one.silent, 0)
  return silent > 0 ? ` · ${number(silent)} silent` : ''
}
