/** The sentence of an incident: cause, code, time, nodes and what comes next. */

import type { Incident } from '../../insight/incident/incident.ts'
import { incidentPieces, type SentencePiece } from '../../insight/incident/sentence.ts'
import { causeAddress, deployAddress } from '../address.ts'
import { short } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { icon } from './mark.ts'
import { moment } from './time.ts'

/** @param kept parameters to keep in links: span and choice of nodes */
export const incident = (
  found: Incident,
  now: number,
  kept: Readonly<Record<string, string | null>>,
): Html =>
  html`<section class="incident" aria-label="Incident" data-live="sentence">
    ${icon('cross')}
    <p class="lead">${each(incidentPieces(found), (piece) => pieceOf(piece, found, now, kept))}</p>
  </section>`

function pieceOf(
  { kind, text }: SentencePiece,
  { cause, deploy }: Incident,
  now: number,
  kept: Readonly<Record<string, string | null>>,
): Html {
  switch (kind) {
    case 'text':
      return html`${text}`
    case 'strong':
      return html`<b>${text}</b>`
    case 'time':
      return moment(text, now)
    case 'code':
      return deploy === null
        ? html`${short(text)}`
        : html`<a class="mono" href="${deployAddress(deploy)}">${short(text)}</a>`
    case 'reason':
      return html`<a class="what" href="${causeAddress(cause, kept)}">${text}</a>`
  }
}
