/** The head of a node's page: its state and facts, since when it fails and why, and a healthy neighbour. */

import { stopAfter } from '../../insight/incident/sentence.ts'
import type { NodePage } from '../../insight/nodes/node-page.ts'
import { short } from '../../lib/code-version.ts'
import { causeAddress, diffAddress, nodeAddress, reportAddress } from '../address.ts'
import { counted } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { compareMenu } from './compare.ts'
import { card, title } from './list.ts'
import { mark } from './mark.ts'
import { nodeLink } from './node-link.ts'
import { reportCauseList } from './report-cause.ts'
import { said } from './said.ts'
import { moment, when } from './time.ts'

export function nodeHead({ now, settings }: Visit, node: NodePage): Html {
  const silentFor = node.silent && node.time !== null ? now - Date.parse(node.time) : null
  const facts = [node.environment, node.agent_version && `agent ${node.agent_version}`]
  const gone = [
    ['deactivated', node.deactivated],
    ['expired', node.expired],
  ] as const
  return html`${title(
    node.certname,
    html`${mark(node.run, silentFor)}
    ${facts.filter(Boolean).join(' · ')}${
      node.code_version === null
        ? NONE
        : html` · code <code title="${node.code_version}">${short(node.code_version)}</code>`
    }${each(gone, ([word, time]) => (time === null ? NONE : html` · ${word} ${when(time, now)}`))}`,
    html`${nodeLink(settings.NODE_LINK, node.certname)}${node.report === null ? '' : compareMenu({ node: node.certname })}${diffLink(node)}`,
    html`<a href="/console/nodes">Nodes</a>`,
  )}
  ${sentence(node, now)}`
}

/** Since when the node fails and why, its last good run, and the way to the incident. */
function sentence(node: NodePage, now: number): Html {
  const { failing, causes, last_good, last_good_report, report } = node
  if (failing === null) return NONE
  const [cause] = causes
  const others = causes.length - 1
  const named =
    cause !== undefined && (cause.resource === null || cause.reason.startsWith(cause.resource))
  return said({
    label: 'Why it fails',
    lead: html`Failed since
      <a href="${reportAddress(failing.report)}">${moment(failing.since, now)}</a>,
      ${counted(failing.runs, 'run')}${
        cause === undefined
          ? '.'
          : html`${named ? NONE : html`, at <b>${cause.resource}</b>`}:
              <i>${cause.reason}</i>${stopAfter(cause.reason)}`
      }
      ${
        last_good === null
          ? 'No good run is stored.'
          : html`Its last good run was at
            ${last_good_report === null ? moment(last_good, now) : html`<a href="${reportAddress(last_good_report)}">${moment(last_good, now)}</a>`}.`
      }`,
    below: html`${others > 0 ? html`<p class="sub">${counted(others, 'more cause')} in the same run.</p>` : NONE}${healthyNeighbour(node)}`,
    actions: html`${report === null ? NONE : html`<a class="btn" href="${reportAddress(report)}">Open report</a>`}${
      cause === undefined
        ? NONE
        : html` <a class="btn primary" href="${causeAddress(cause.cause)}">Open incident</a>`
    }`,
  })
}

/** A node of the same group that succeeds, to compare a failing one with. */
const healthyNeighbour = ({ neighbour, report }: NodePage): Html =>
  neighbour === null || report === null
    ? NONE
    : html`<p class="sub">
        A healthy neighbour, <a href="${nodeAddress(neighbour.certname)}">${neighbour.certname}</a>,
        is of the same group, ran the same code, and succeeds.
        <a href="${diffAddress(neighbour.report, report)}">Compare both runs</a>
      </p>`

const diffLink = ({ report, last_good_report, run }: NodePage): Html =>
  report === null || last_good_report === null || run?.state !== 'failed'
    ? ''
    : html`<a class="btn primary" data-key="d" href="${diffAddress(last_good_report, report)}"
        >Compare with last good run</a
      >`

export const whatPuppetSaid = ({ causes, report }: NodePage): Html =>
  causes.length === 0
    ? ''
    : card({ name: 'What Puppet said' }, reportCauseList(causes, { hash: report ?? '' }))
