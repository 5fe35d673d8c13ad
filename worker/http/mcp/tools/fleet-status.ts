/** `fleet_status`: how many nodes are in which state, and which ones need somebody. */

import { causeListRead } from '../../../insight/causes/cause-list.ts'
import { fleetRead, type NodeCounts } from '../../../insight/fleet.ts'
import { nodeListRead } from '../../../insight/nodes/node-list.ts'
import type { NodeRow } from '../../../insight/nodes/node-row.ts'
import { ALL_STATES } from '../../../schema/states.ts'
import { readAll } from '../../../store/batch-read.ts'
import { causeLine } from '../cause-lines.ts'
import { asData, asTime, amount, DATA_NOTE, orDash, section } from '../text.ts'
import { ENVIRONMENT, SINCE, viewFor, type Tool } from '../tool.ts'

const LISTED = 10
const ANY_NODE = { ...ALL_STATES, silent: null, search: null, cursor: null, runs: 0 }

export const FLEET_STATUS: Tool = {
  name: 'fleet_status',
  title: 'Fleet status',
  description:
    'How the fleet is now: nodes by the state of their latest run, by environment, which nodes fail or are silent, and the main causes of failures in the span. Ask this first.',
  takes: { environment: ENVIRONMENT, since: SINCE },
  async answer(source, given) {
    const view = await viewFor(source, given)
    const { fleet, failed, silent, causes } = await readAll(source.database, {
      fleet: fleetRead(view),
      failed: nodeListRead(view, { ...ANY_NODE, states: ['failed'], sort: 'time', limit: LISTED }),
      silent: nodeListRead(view, { ...ANY_NODE, silent: true, sort: 'time', limit: LISTED }),
      causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: 3 }),
    })
    return [
      DATA_NOTE,
      `${countsText(fleet)}. Newest report: ${asTime(fleet.newest, source.now)}.`,
      ...section(
        'By environment:',
        fleet.environments.map((one) => `${orDash(one.environment)}: ${countsText(one)}`),
      ),
      ...section(
        `Failed now (${failed.total}, newest first):`,
        failed.items.map((node) => nodeLine(node, source.now)),
      ),
      ...section(
        `Silent (${silent.total}):`,
        silent.items.map((node) => nodeLine(node, source.now)),
      ),
      ...section(
        `Causes of failed runs in the span (${causes.total}):`,
        causes.items.map((cause) => causeLine(source, cause)),
      ),
      '',
      `Console: ${source.origin}/console`,
    ]
  },
}

const countsText = ({ nodes, states, silent, never_reported: never }: NodeCounts): string => {
  const parts = states
    .filter(({ count }) => count > 0)
    .map(({ state, noop, count }) => `${count} ${state}${noop ? ' (noop)' : ''}`)
  return [
    `${amount(nodes, 'node')}: ${parts.join(', ') || 'none with a report'}`,
    ...(silent > 0 ? [`${silent} of them silent`] : []),
    ...(never > 0 ? [`${never} without any report`] : []),
  ].join('; ')
}

const nodeLine = ({ certname, environment, time, last_good: good }: NodeRow, now: number): string =>
  `${asData(certname)} in ${orDash(environment)}, last run ${asTime(time, now)}, last good run ${asTime(good, now)}`
