/** The acknowledgement of a cause on its page, and the forms of it; they need no script. */

import { ACKNOWLEDGEMENT_RULES } from '../../schema/acknowledgement.ts'
import type { CausePage } from '../../insight/causes/cause-page.ts'
import { counted } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { card } from './list.ts'
import { menu } from './menu.ts'
import { moment } from './time.ts'

/** How long an acknowledgement may last, as the form offers it. */
const CHOICES = [
  ['1h', '1 hour'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['2d', '2 days'],
  ['3d', '3 days'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const

const { grownFactor, grownNodes, longestNote } = ACKNOWLEDGEMENT_RULES

/** @param problem why the form as it was sent was refused; null where it was not */
export function acknowledgementPart(
  visit: Visit,
  cause: CausePage,
  problem: { readonly message: string; readonly note: string } | null,
): Html {
  const { acknowledged } = cause
  const { operator } = visit.reader
  const isOver = acknowledged !== null && !acknowledged.holds
  if (!isOver && !operator) return NONE
  return card(
    { name: 'Acknowledgement', id: 'acknowledge' },
    html`<div class="in form">
      ${isOver ? ended(visit, cause) : NONE}
      ${operator ? form(cause, problem?.note ?? acknowledged?.note ?? '', problem?.message ?? null) : NONE}
    </div>`,
  )
}

/** Why an acknowledgement does not hold any more; while it holds, the sentence of the page says so. */
function ended({ now }: Visit, { acknowledged, failing }: CausePage): Html {
  const { note, by, at, until, nodes, ended } = acknowledged!
  const sentence =
    ended === 'time'
      ? html`<b>Back:</b> the acknowledgement by ${by} ended ${moment(until, now)}.`
      : html`<b>Back:</b> it has grown since ${by} acknowledged it at
          ${moment(at, now)}${nodes === null ? NONE : html`, when ${counted(nodes, 'node')} failed`};
          now ${counted(failing, 'node')}.`
  return html`<div>
    <p>${sentence}</p>
    <p>“${note}”</p>
  </div>`
}

/** The form in a menu, where there is no room for a card. */
export const acknowledgeMenu = (cause: string): Html =>
  menu(
    html`<b>Acknowledge</b>`,
    html`<div>${form({ cause, acknowledged: null }, '', null)}</div>`,
    'end',
  )

function form(
  { cause, acknowledged }: Pick<CausePage, 'cause' | 'acknowledged'>,
  note: string,
  problem: string | null,
): Html {
  return html`<form class="form" method="post" action="/console/causes/${cause}/acknowledgement">
    <div class="stack">
      <div class="field">
        <label for="ack-note">Note</label
        ><input
          id="ack-note"
          name="note"
          value="${note}"
          required
          maxlength="${longestNote.value}"
          placeholder="Who works on it, or a ticket"
          autocomplete="off"
          aria-describedby="ack-help"
          ${problem === null ? NONE : html` aria-invalid="true"`}
        />
      </div>
      <div class="field">
        <label for="ack-until">For</label
        ><select id="ack-until" name="until">
          ${each(CHOICES, ([value, name]) => html`<option value="${value}" ${value === '1d' ? html` selected` : ''}>${name}</option>`)}
        </select>
      </div>
    </div>
    ${
      problem === null
        ? html`<p class="help" id="ack-help">
            An acknowledged cause is listed separately and sends no messages. It comes back when the
            time is over, or when it has grown to ${grownFactor.value} times as many nodes, by at
            least ${grownNodes.value}.
          </p>`
        : html`<p class="help failed" id="ack-help" role="alert">${problem}</p>`
    }
    <div class="row">
      <button name="do" value="acknowledge">
        ${acknowledged === null ? 'Acknowledge' : 'Acknowledge again'}</button
      >${
        acknowledged === null
          ? NONE
          : html`<button name="do" value="withdraw" formnovalidate>Withdraw</button>`
      }
    </div>
  </form>`
}
