/** How many causes nodes fail by, in words, and what Fleet says where each of them is acknowledged. */

import type { CauseList, CauseSummary } from '../../insight/causes/cause-list.ts'
import { causeAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { icon } from './mark.ts'
import { moment } from './time.ts'

/** How many causes are new, and nobody works on them: for the title and its mark. */
export const newCauses = ({ items }: CauseList): number =>
  items.filter((cause) => cause.new && cause.acknowledged?.holds !== true).length

/** The number of causes by which nodes fail now, acknowledged or not. */
export function openCauses({ items, total }: CauseList): string {
  const open = items.filter(({ failing }) => failing !== 0).length
  return open === items.length && total > open
    ? `${number(open)} or more causes`
    : counted(open, 'cause')
}

/** `, 1 acknowledged` where causes are. */
export const acknowledgedPart = ({ acknowledged }: CauseList): string =>
  acknowledged?.causes ? `, ${number(acknowledged.causes)} acknowledged` : ''

/** Where all that fails is acknowledged. */
export const allAcknowledged = (causes: readonly CauseSummary[], now: number): Html =>
  html`<section class="incident calm" aria-label="Incident" data-live="sentence">
    ${icon('ok')}
    <p class="lead">
      <b>Nothing new fails.</b>
      ${each(
        causes,
        ({ cause, reason, failing, acknowledged }) =>
          html`${counted(failing ?? 0, 'node')}:
            <a href="${causeAddress(cause!, {})}">${reason}</a>, acknowledged by ${acknowledged!.by}
            until ${moment(acknowledged!.until, now)}. `,
      )}
    </p>
  </section>`
