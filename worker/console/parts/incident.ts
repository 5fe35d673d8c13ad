/** The sentence of an incident: cause, code, time, nodes and what comes next. */

import type { Incident } from '../../insight/incident/incident.ts'
import { causeAddress, deployAddress } from '../address.ts'
import { counted, number, short } from '../format.ts'
import { html, type Html } from '../html.ts'
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
    <p class="lead">
      ${since(found, now)}${nodes(found)}${place(found)}:
      <a class="what" href="${causeAddress(found.cause, kept)}">${found.reason}</a
      >${/[.!?]$/.test(found.reason) ? '' : '.'}${next(found)}
    </p>
  </section>`

function since({ since, deploy }: Incident, now: number): Html {
  if (since === null) return ''
  const code =
    deploy === null
      ? ''
      : html`when
          <a class="mono" href="${deployAddress(deploy)}">${short(deploy.code_version)}</a>
          reached ${deploy.environment}, `
  return html`Since ${moment(since, now)}, ${code}`
}

const nodes = ({ group, failing }: Incident): Html =>
  group === null
    ? html`<b>${counted(failing, 'node')}</b> ${failing === 1 ? 'fails' : 'fail'}`
    : html`<b>${number(group.failing)} of ${number(group.ran)} ${group.name} nodes</b> that ran fail`

const place = ({ resource }: Incident): Html =>
  resource === null ? '' : html` at <b>${resource}</b>`

const next = ({ group }: Incident): Html =>
  group === null || group.waiting === 0
    ? ''
    : html` ${number(group.waiting)} more ${group.waiting === 1 ? 'has' : 'have'} not run it yet.`
