/** What is worth a look: whether Fleet has a line at the numbers that docs/reference/limits.md lists, and on both sides of them. */

import {
  noisyNodes,
  oldAgents,
  slowGroups,
  type ComparedNode,
} from '../../worker/insight/worth/nodes.ts'
import { HOUR } from '../../worker/lib/time.ts'
import { ask, store } from '../worker/client.ts'
import { failed, run } from '../worker/console-runs.ts'
import { event, resource } from '../worker/reports.ts'
import { edge, testEdges } from './edge.ts'

const VIEW = { nodeGroup: /^[^\d]+/u }

const names = (group: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${group}${index}`)

/** Nodes of one group, as they are compared. */
const compared = (count: number, parts: Partial<ComparedNode>): ComparedNode[] =>
  names('web', count).map((certname) => ({
    ...{ certname, agent: '8.10.0', clockOff: null, took: null, tookBefore: null, interval: null },
    ...parts,
  }))

const slowOf = (count: number, tookBefore: number, took: number): string[] =>
  slowGroups(VIEW, compared(count, { took, tookBefore })).map(({ group }) => group)

/** How many nodes a line of that kind is of, after the reports of an environment. */
async function worthOf(
  kind: string,
  environment: string,
  runs: readonly (readonly [hours: number, parts: Record<string, unknown>])[],
): Promise<number> {
  await store(
    ...runs.map(([hours, parts]) => run(environment, hours * HOUR, { environment, ...parts })),
  )
  const { items } = await ask('/insight/v1/worth-a-look', { environment })
  return (items as { kind: string; nodes: number }[]).find((item) => item.kind === kind)?.nodes ?? 0
}

const withEvent = (status: string, corrective: boolean) => ({
  ...(corrective ? { status: 'changed' } : {}),
  ...{ corrective_change: corrective, noop: status === 'noop', noop_pending: status === 'noop' },
  resources: [
    resource({
      corrective_change: corrective,
      events: [event({ status, corrective_change: corrective })],
    }),
  ],
})

const hoursFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

testEdges('worth a look', [
  edge({
    number: 'insight/worth/rules.ts driftTimes',
    of: 'corrections of a resource on a node',
    cases: [
      [2, 0],
      [3, 1],
      [4, 1],
    ],
    drive: (times: number) =>
      worthOf(
        'drift',
        `drift_${times}`,
        hoursFrom(1, times).map((hours) => [hours, withEvent('success', true)]),
      ),
  }),
  edge({
    number: 'insight/worth/rules.ts WORTH_DAYS',
    of: 'hours ago a resource was corrected the first of three times',
    cases: [
      [167, 1],
      // By the time of the answer, some ms more.
      [168, 0],
      [169, 0],
    ],
    drive: (hours: number) =>
      worthOf(
        'drift',
        `week_${hours}`,
        [hours, 2, 1].map((ago) => [ago, withEvent('success', true)]),
      ),
  }),
  edge({
    number: 'insight/worth/rules.ts pendingHours',
    of: 'hours that a change is pending',
    cases: [
      [23, 0],
      [24, 1],
      [25, 1],
    ],
    drive: (hours: number) =>
      worthOf(
        'pending',
        `pending_${hours}`,
        [hours, 1].map((ago) => [ago, withEvent('noop', false)]),
      ),
  }),
  edge({
    number: 'insight/worth/rules.ts flaps',
    of: 'times that a node failed and was well again',
    cases: [
      [2, 0],
      [3, 1],
      [4, 1],
    ],
    drive: (times: number) =>
      worthOf(
        'comes-and-goes',
        `flaps_${times}`,
        hoursFrom(1, times).flatMap((pair) => [
          [2 * pair + 1, failed('haproxy')] as const,
          [2 * pair, {}] as const,
        ]),
      ),
  }),
  edge({
    number: 'insight/worth/rules.ts slowFactor',
    of: 'times as long as 10 s a week before',
    cases: [
      [1.99, []],
      [2, ['web']],
      [2.01, ['web']],
    ],
    drive: (factor: number) => slowOf(5, 10, 10 * factor),
  }),
  edge({
    number: 'insight/worth/rules.ts slowSeconds',
    of: 'seconds more than 1 s a week before',
    cases: [
      [4.9, []],
      [5, ['web']],
      [5.1, ['web']],
    ],
    drive: (seconds: number) => slowOf(5, 1, 1 + seconds),
  }),
  edge({
    number: 'insight/worth/rules.ts groupNodes',
    of: 'nodes of a group that became slow',
    cases: [
      [4, []],
      [5, ['web']],
      [6, ['web']],
    ],
    drive: (nodes: number) => slowOf(nodes, 10, 60),
  }),
  edge({
    number: 'insight/worth/rules.ts noisyFactor',
    of: 'times as often as its group that a node reports',
    cases: [
      [9.9, 0],
      [10, 1],
      [10.1, 1],
    ],
    drive: (factor: number) =>
      noisyNodes(VIEW, [
        ...compared(5, { interval: 3600 }),
        ...compared(1, { certname: 'web9', interval: 3600 / factor }),
      ]).length,
  }),
  edge({
    number: 'insight/worth/rules.ts agentMajors',
    of: 'major versions behind most nodes',
    cases: [
      [1, 0],
      [2, 1],
      [3, 1],
    ],
    drive: (majors: number) =>
      oldAgents([
        ...compared(2, {}),
        ...compared(1, { certname: 'old', agent: `${8 - majors}.1.0` }),
      ]).length,
  }),
])
