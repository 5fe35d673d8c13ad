/** The panel with which a page says what matters first: its look tells how bad that is. */

import { html, NONE, type Content, type Html } from '../html.ts'
import { lineIcon } from '../svg/icons.ts'
import { icon } from './mark.ts'

/** Look → its icon: alarming, good, plain, or dashed for silence. */
const ICONS = {
  alarm: icon('alert'),
  calm: icon('ok'),
  open: icon('clock'),
  hush: lineIcon('mute'),
} as const

export interface Said {
  /** What the panel is, for those who don't see it. */
  readonly label: string
  readonly look?: keyof typeof ICONS
  /** The sentence. */
  readonly lead: Content | readonly Html[]
  readonly below?: Content | readonly Html[]
  readonly actions?: Content
}

export const said = ({ label, look = 'alarm', lead, below = NONE, actions = NONE }: Said): Html =>
  html`<section class="incident ${look}" aria-label="${label}">
    ${ICONS[look]}
    <div>
      <p class="lead">${lead}</p>
      ${below}
    </div>
    ${actions === NONE ? NONE : html`<div class="acts">${actions}</div>`}
  </section>`
