/** The sentence of an incident: cause, code, time, nodes and what comes next. */

import type { FailingNode } from '../../insight/causes/failing-nodes.ts'
import type { CauseSummary } from '../../insight/causes/cause-list.ts'
import type { Incident } from '../../insight/incident/incident.ts'
import { incidentPieces, type SentencePiece } from '../../insight/incident/sentence.ts'
import { causeAddress, chosenOf, deployAddress, OF_RUNS } from '../address.ts'
import { short } from '../../lib/code-version.ts'
import { html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { acknowledgeMenu } from './acknowledgement.ts'
import { nodeFold } from './cause.ts'
import { said } from './said.ts'
import { moment, when } from './time.ts'

/** Without the reason, where a heading says it. */
export const withoutReason = (found: Incident, now: number): readonly Html[] =>
  incidentPieces(found, 'no reason').map((piece) => pieceOf(piece, found, now, {}))

/** On Fleet: how old the cause is, who knows of it, and its nodes, with the way to its page. */
export function incidentOfFleet(
  found: Incident,
  {
    cause,
    nodes,
  }: {
    readonly cause: CauseSummary | undefined
    readonly nodes: readonly FailingNode[]
  },
  { reader, now, url }: Pick<Visit, 'reader' | 'now' | 'url'>,
): Html {
  const kept = chosenOf(url, OF_RUNS)
  const page = causeAddress(found.cause, kept)
  const sentence = incidentPieces(found).map((piece) => pieceOf(piece, found, now, kept))
  return said({
    label: 'Incident',
    lead: sentence,
    below: html`${
      cause === undefined
        ? ''
        : html`<p class="sub">
            ${cause.first_seen === null ? '' : html`${cause.new ? 'New cause, first' : 'First'} seen ${when(cause.first_seen, now)}.`}
            ${cause.acknowledged === null ? 'Not acknowledged.' : `Back: ${cause.acknowledged.by} acknowledged it before.`}
          </p>`
    }
    ${nodeFold(nodes, found.failing, { now, href: page })}`,
    actions: html`${reader.operator ? acknowledgeMenu(found.cause) : NONE}<a
        class="btn primary"
        href="${page}"
        >Open incident</a
      >`,
  })
}

/** @param kept what links keep of the address; null for none */
function pieceOf(
  { kind, text }: SentencePiece,
  { cause, deploy }: Incident,
  now: number,
  kept: Readonly<Record<string, string | null>> | null,
): Html {
  switch (kind) {
    case 'text':
      return html`${text}`
    case 'strong':
      return html`<b>${text}</b>`
    case 'time':
      return moment(text, now)
    case 'code':
      return deploy === null || kept === null
        ? html`<code>${short(text)}</code>`
        : html`<a class="mono" href="${deployAddress(deploy)}">${short(text)}</a>`
    case 'reason':
      return kept === null
        ? html`${text}`
        : html`<a class="what" href="${causeAddress(cause, kept)}">${text}</a>`
  }
}
