/** The sentence of an incident: cause, code, time, nodes and what comes next. */

import type { FailingNode } from '../../insight/causes/failing-nodes.ts'
import type { CausePage } from '../../insight/causes/cause-page.ts'
import type { CauseSummary } from '../../insight/causes/cause-list.ts'
import type { Incident } from '../../insight/incident/incident.ts'
import { incidentPieces, type SentencePiece } from '../../insight/incident/sentence.ts'
import type { Acknowledgement } from '../../insight/causes/acknowledgement.ts'
import type { Deploy } from '../../insight/timeline.ts'
import { backAt } from '../../schema/acknowledgement.ts'
import { causeAddress, chosenOf, deployAddress, OF_RUNS } from '../address.ts'
import { age, counted, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { html, NONE, type Content, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { acknowledgeMenu } from './acknowledgement.ts'
import { nodeFold } from './cause.ts'
import { icon } from './mark.ts'
import { moment, when } from './time.ts'

/** @param more what stands below the sentence and beside it */
const incident = (
  sentence: readonly Html[],
  more: { readonly note: Content; readonly nodes: Html; readonly actions: Content },
): Html =>
  html`<section class="incident" aria-label="Incident" data-live="sentence">
    ${icon('alert')}
    <div>
      <p class="lead">${sentence}</p>
      <p class="sub">${more.note}</p>
      ${more.nodes}
    </div>
    ${more.actions === '' ? NONE : html`<div class="acts">${more.actions}</div>`}
  </section>`

/**
 * On the page of its cause, whose heading says the reason: how many failed runs there are, and when the first and the last
 * of them were.
 */
export const incidentOfPage = (found: Incident, cause: CausePage, now: number): Html =>
  incident(withoutReason(found, now), { note: runsOfCause(cause, now), nodes: NONE, actions: '' })

const withoutReason = (found: Incident, now: number): readonly Html[] =>
  incidentPieces(found, 'no reason').map((piece) => pieceOf(piece, found, now, {}))

/** On the wall, a screen without a pointer. */
export const incidentWords = (found: Incident, now: number): readonly Html[] =>
  incidentPieces(found, 'no group').map((piece) => pieceOf(piece, found, now, null))

/** `First seen 3 h ago, with b71fe02c; 16 failed runs, the last 6 min ago.` */
export const runsOfCause = (
  { first_seen, began_with, reports, last_seen }: CausePage,
  now: number,
): Html =>
  html`${first_seen === null ? '' : html`First seen ${when(first_seen, now)}${began_with === null ? '' : html`, with <b class="mono">${short(began_with.code_version)}</b>`}; `}${counted(reports, 'failed run')},
  the last ${when(last_seen, now)}.`

/** On Fleet: how old the cause is, who knows of it, and its nodes, with the way to its page. */
export function incidentOfFleet(
  found: Incident,
  {
    cause,
    newestCode,
    nodes,
  }: {
    readonly cause: CauseSummary | undefined
    readonly newestCode: Deploy | null
    readonly nodes: readonly FailingNode[]
  },
  { reader, now, url }: Pick<Visit, 'reader' | 'now' | 'url'>,
): Html {
  const kept = chosenOf(url, OF_RUNS)
  const page = causeAddress(found.cause, kept)
  const sentence = incidentPieces(found).map((piece) => pieceOf(piece, found, now, kept))
  return incident(sentence, {
    note:
      cause === undefined
        ? ''
        : html`${cause.first_seen === null ? '' : html`${cause.new ? 'New cause, first' : 'First'} seen ${when(cause.first_seen, now)}.`}${codeBefore(found, newestCode)}
          ${cause.acknowledged === null ? 'Not acknowledged.' : `Back: ${cause.acknowledged.by} acknowledged it before.`}`,
    nodes: nodeFold(nodes, found.failing, { now, href: page }),
    actions: html`${reader.operator ? acknowledgeMenu(found.cause) : NONE}<a
        class="btn primary"
        href="${page}"
        >Open incident</a
      >`,
  })
}

/**
 * How long before the first failure the newest code first ran, where the incident began with no deploy. Not when the last deploy
 * was: a rollback brings no new code.
 */
function codeBefore({ since, deploy }: Incident, newest: Deploy | null): Html {
  const before =
    since === null || deploy !== null || newest === null
      ? 0
      : Date.parse(since) - Date.parse(newest.time)
  return newest === null || before <= 0
    ? NONE
    : html` The newest code,
        <a class="mono" href="${deployAddress(newest)}">${short(newest.code_version)}</a> in
        ${newest.environment}, first ran ${age(before)} before.`
}

/**
 * The sentence of a cause that somebody works on: the same facts without alarm, then who, until when, why, and when it
 * comes back.
 */
export function heldIncident(
  found: Incident,
  cause: CausePage,
  { by, at, until, note, nodes }: Acknowledgement,
  now: number,
): Html {
  return html`<section class="incident open" aria-label="Incident" data-live="sentence">
    ${icon('clock')}
    <div>
      <p class="lead">
        <b>Acknowledged</b> by ${by} at ${moment(at, now)}, until ${moment(until, now)}: “${note}”
      </p>
      <p class="sub">${withoutReason(found, now)} ${runsOfCause(cause, now)}</p>
      <p class="sub">
        It comes back at
        ${moment(until, now)}${nodes === null ? ', or when it has grown.' : html`, or when ${counted(backAt(nodes), 'node')} fail because of it (${number(nodes)} did when it was acknowledged).`}
      </p>
    </div>
  </section>`
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
