/** How many causes nodes fail by, in words, and what Fleet says where each of them is acknowledged. */

import type { CauseList, CauseSummary } from '../../insight/causes/cause-list.ts'
import type { Fleet } from '../../insight/fleet.ts'
import type { Page } from '../page.ts'
import { causeAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { icon } from './mark.ts'
import { moment } from './time.ts'

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
