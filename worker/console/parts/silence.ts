/** What Fleet and the wall say of silent nodes. */

import type { Fleet } from '../../insight/fleet.ts'
import type { GroupSilence } from '../../insight/nodes/group-silence.ts'
import { LIFE_THRESHOLDS } from '../../store/node-life.ts'
import { address, chosenOf, OF_NODES } from '../address.ts'
import { counted, listed, number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { said } from './said.ts'
import { moment } from './time.ts'

/** Who is silent, since when, and what they have in common; null while few nodes and no group are silent. */
export function silenceWords(fleet: Fleet, now: number): Html | null {
  const { silent, nodes, newest, silent_groups: groups } = fleet
  const isSilent = silent > 0 && silent >= LIFE_THRESHOLDS.silentShare.value * nodes
  if (newest === null || (!isSilent && groups.length === 0)) return null
  if (silent === nodes)
    return html`<b>No report has come since ${moment(newest, now)}.</b>
      ${nodes === 1 ? 'The only node is' : `All ${number(nodes)} nodes are`} silent.`
  if (groups.length > 0)
    return html`${each(groups, (group) => groupWords(group, now))}${restWords(fleet)}`
  return html`<b
      >${number(silent)} of ${counted(nodes, 'node')} ${silent === 1 ? 'is' : 'are'} silent</b
    >: ${namesOf(fleet)}.`
}

function groupWords(group: GroupSilence, now: number): Html {
  const { silent, nodes, from, since, environment, producer } = group
  const shared = [environment, producer].filter((one) => one !== null)
  const isTogether = from.slice(0, 16) === since.slice(0, 16)
  return html`<b
      >${silent === nodes ? `All ${number(nodes)}` : `${number(silent)} of ${number(nodes)}`}
      ${group.group} nodes are silent</b
    >
    since
    ${moment(since, now)}${isTogether ? ', all since the same minute' : ''}${shared.length === 0 ? '' : `; they have ${listed(shared)} in common`}. `
}

function restWords({ silent, silent_groups: groups }: Fleet): string {
  const rest = silent - groups.reduce((sum, group) => sum + group.silent, 0)
  return rest === 0 ? '' : `${counted(rest, 'other node')} ${rest === 1 ? 'is' : 'are'} silent.`
}

const namesOf = ({ silent, silent_names: names }: Fleet): string =>
  listed(silent > names.length ? [...names, `${number(silent - names.length)} more`] : names)

/** On Fleet, above what fails. */
export function silenceOfFleet({ url, now }: Visit, fleet: Fleet): Html | null {
  const words = silenceWords(fleet, now)
  if (words === null) return null
  const href = address('/console/nodes', { ...chosenOf(url, OF_NODES), state: 'silent' })
  return said({
    label: 'Silence',
    look: 'hush',
    lead: words,
    actions: html`<a class="btn" href="${href}">Silent nodes</a>`,
  })
}
