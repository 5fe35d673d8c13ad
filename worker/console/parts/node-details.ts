/** What stands beside the runs of a node: its details, and a healthy node to compare it with. */

import type { NodePage } from '../../insight/nodes/node-page.ts'
import { short } from '../../lib/code-version.ts'
import { address, diffAddress, nodeAddress, reportAddress } from '../address.ts'
import { duration } from '../format.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import { card } from './list.ts'
import { when } from './time.ts'

/** @param now in ms */
export function nodeDetails(node: NodePage, now: number): Html {
  const facts: readonly (readonly [string, Content | null])[] = [
    [
      'Last run',
      node.time === null
        ? 'never'
        : html`<a href="${reportAddress(node.report ?? '')}">${when(node.time, now)}</a>`,
    ],
    ['Took', node.seconds === null ? null : duration(node.seconds)],
    ['Environment', node.environment],
    ['Agent', node.agent_version],
    [
      'Code',
      node.code_version === null
        ? null
        : html`<code title="${node.code_version}">${short(node.code_version)}</code>`,
    ],
    ['Deactivated', node.deactivated === null ? null : when(node.deactivated, now)],
    ['Expired', node.expired === null ? null : when(node.expired, now)],
  ]
  return card(
    { name: 'Details' },
    html`<dl class="facts">
        ${each(
          facts.filter(([, value]) => value !== null),
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value!}</dd>`,
        )}
      </dl>
      <p class="foot">
        <a href="${address('/console/changes', { node: node.certname })}">Changes on this node</a>
      </p>`,
  )
}

export function healthyNeighbour({ neighbour, report }: NodePage): Html {
  if (neighbour === null || report === null) return NONE
  return card(
    { name: 'A healthy neighbour' },
    html`<div class="in">
      <p>
        <a href="${nodeAddress(neighbour.certname)}">${neighbour.certname}</a> is of the same group,
        ran the same code, and succeeds.
        <a href="${diffAddress(neighbour.report, report)}">Compare both runs</a>
      </p>
    </div>`,
  )
}
