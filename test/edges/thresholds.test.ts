/** Thresholds of insights: what is said at the number that docs/reference/limits.md lists, and on both sides of it. */

import { vi } from 'vitest'
import { beforeAndAfter } from '../../worker/console/parts/deploy.ts'
import type { CauseSummary } from '../../worker/insight/causes/cause-list.ts'
import { bucketsOf } from '../../worker/insight/buckets.ts'
import { sql } from 'drizzle-orm'
import { traitsRead } from '../../worker/insight/causes/traits.ts'
import { deployFacts, type BeforeAfter } from '../../worker/insight/deploys/deploy-facts.ts'
import type { DeployNode } from '../../worker/insight/deploys/deploy-nodes.ts'
import { codeThatBegan } from '../../worker/insight/deploys/breakages.ts'
import type { Breakage } from '../../worker/outcomes/breakages.ts'
import { failingCodeOf } from '../../worker/insight/deploys/failing-code.ts'
import { verdictOf } from '../../worker/insight/deploys/verdict.ts'
import {
  returnedTo,
  standingOf,
  type VersionUse,
} from '../../worker/insight/deploys/version-use.ts'
import { incidentOfCause } from '../../worker/insight/incident/incident.ts'
import { fleetSilence } from '../../worker/insight/nodes/group-silence.ts'
import type { MapCell } from '../../worker/insight/nodes/map-answer.ts'
import { dueOf, type FleetCell, type FleetMap } from '../../worker/insight/nodes/node-map.ts'
import type { View } from '../../worker/insight/view.ts'
import { DAY, formatTimestamp, HOUR, MINUTE } from '../../worker/lib/time.ts'
import { backAt } from '../../worker/schema/acknowledgement.ts'
import { ask, store } from '../worker/client.ts'
import { report } from '../worker/reports.ts'
import { edge, messageOf, testEdges } from './edge.ts'

const NOW = Date.UTC(2026, 2, 2, 12)
const DEPLOYED = NOW - HOUR
const VIEW = { nodeGroup: /^[^\d]+/u, since: NOW - DAY, now: NOW }
const CODE = { code_version: 'b71fe02', environment: 'production' }
const TIMES = { deployed: DEPLOYED, replaced: null, now: NOW, isComing: true }

const names = (group: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${group}${index}`)

/** Nodes of groups: broken with the code, running well with it, and waiting for it. */
interface Group {
  readonly broken?: number
  readonly well?: number
  readonly waiting?: number
  /** The usual ms between two runs of a waiting node, whose last one was two hours ago. */
  readonly interval?: number
}

const cell = (certname: string, latest: number, interval: number | null = null): FleetCell => ({
  ...{ certname, run: null, silent: false, silence: null, environment: CODE.environment },
  ...{ latest, interval },
})

function fleetOf(groups: Readonly<Record<string, Group>>) {
  const map: FleetMap = {
    by: 'group',
    nodes: 0,
    groups: Object.entries(groups).map(
      ([name, { broken = 0, well = 0, waiting = 0, interval }]) => {
        const certnames = names(name, broken + well + waiting)
        const cells = certnames.map((certname, index) =>
          index < broken + well
            ? cell(certname, NOW - MINUTE)
            : cell(certname, DEPLOYED - HOUR, interval ?? null),
        )
        return { name, nodes: cells.length, failing: broken, cells }
      },
    ),
  }
  const breakages = Object.entries(groups).flatMap(([name, group]): Breakage[] =>
    names(name, group.broken ?? 0).map((certname) => ({
      ...{ certname, ...CODE, deployed: DEPLOYED, time: DEPLOYED, newest: true },
      ...{ outcome: 'broken', causes: ['cause'], failing: ['cause'] },
    })),
  )
  return { map, breakages }
}

const causeOf = (failing: number): CauseSummary =>
  ({ cause: 'cause', failing, reason: 'no', resource: null, since: null }) as CauseSummary

const incidentIn = (failing: number, groups: Readonly<Record<string, Group>>) =>
  incidentOfCause(VIEW, causeOf(failing), fleetOf(groups))

testEdges('the incident', [
  edge({
    number: 'insight/incident/incident.ts groupNodes',
    of: 'nodes of a group, which is named',
    cases: [
      [4, undefined],
      [5, 'web'],
      [6, 'web'],
    ],
    drive: (nodes: number) => incidentIn(3, { web: { broken: 3, well: nodes - 3 } })?.group?.name,
  }),
  edge({
    number: 'insight/incident/incident.ts groupShare',
    of: 'of 100 failing nodes are of one group, which is named',
    cases: [
      [79, undefined],
      [80, 'web'],
      [81, 'web'],
    ],
    drive: (broken: number) =>
      incidentIn(100, { web: { broken }, db: { broken: 100 - broken } })?.group?.name,
  }),
  edge({
    number: 'insight/incident/incident.ts mostMinutes',
    of: 'minutes until the next node of the group runs, which are said',
    cases: [
      [239, 239],
      [240, 240],
      [241, null],
    ],
    drive: (minutes: number) =>
      incidentIn(5, { web: { broken: 5, waiting: 1, interval: 2 * HOUR + minutes * MINUTE } })
        ?.group?.next_minutes,
  }),
])

/** The silence of groups: nodes, and how many of them fell silent in the same minute. */
const silenceIn = (groups: Readonly<Record<string, readonly [nodes: number, silent: number]>>) =>
  fleetSilence(
    { ...VIEW, silentAfter: 2 * HOUR },
    Object.entries(groups).flatMap(([name, [nodes, silent]]) =>
      names(name, nodes).map((certname, index) => ({
        certname,
        environment: CODE.environment,
        silence: index < silent ? ([NOW - 5 * HOUR, HOUR / 2, null] as const) : null,
      })),
    ),
    { failed: 0, newest: NOW, producers: [] },
  )

/** A node that ran at these times, as the list has it at noon. Each report came at its time, but none after noon. */
async function nodeWith(
  certname: string,
  times: readonly number[],
): Promise<{ readonly silent: boolean; readonly clock_off: number | null }> {
  for (const time of times) {
    vi.setSystemTime(Math.min(time, NOW))
    const iso = formatTimestamp(time)
    await store(report({ certname, start_time: iso, end_time: iso, producer_timestamp: iso }))
  }
  vi.setSystemTime(NOW)
  const { items } = await ask('/insight/v1/nodes', { q: certname })
  vi.useRealTimers()
  return items[0]
}

testEdges('silence', [
  edge({
    number: 'store/node-life.ts clockTolerance',
    of: 'minutes ahead, which a node shows as seconds',
    cases: [
      [9, null],
      [10, null],
      [11, 660],
    ],
    drive: async (minutes: number) => {
      const node = await nodeWith(`ahead${minutes}`, [NOW + minutes * MINUTE])
      return node.clock_off
    },
  }),
  edge({
    number: 'store/node-life.ts silentIntervals',
    of: 'hours since the last run of a node that runs every four hours, which is silent',
    cases: [
      [7, false],
      [8, false],
      [9, true],
    ],
    drive: async (hours: number) => {
      const last = NOW - hours * HOUR
      const times = [last - 8 * HOUR, last - 4 * HOUR, last]
      return (await nodeWith(`rare${hours}`, times)).silent
    },
  }),
  edge({
    number: 'store/node-life.ts silentShare',
    of: 'of 100 nodes are silent, so that "nothing fails" is said',
    cases: [
      [4, true],
      [5, false],
      [6, false],
    ],
    drive: (silent: number) => silenceIn({ web: [100, silent] }).calm,
  }),
  edge({
    number: 'store/node-life.ts silentGroupNodes',
    of: 'nodes of a group, all silent, are a silent group',
    cases: [
      [4, 0],
      [5, 1],
      [6, 1],
    ],
    drive: (nodes: number) => silenceIn({ web: [nodes, nodes] }).silent_groups.length,
  }),
  edge({
    number: 'store/node-life.ts silentGroupShare',
    of: 'of 10 nodes are silent, which is a silent group',
    cases: [
      [7, 0],
      [8, 1],
      [9, 1],
    ],
    drive: (silent: number) => silenceIn({ web: [10, silent] }).silent_groups.length,
  }),
])

/** A node that ran the version now, and before it another. */
const ranIt = (certname: string, parts: Partial<DeployNode> = {}): DeployNode => ({
  ...{
    certname,
    silent: false,
    latest: NOW - MINUTE,
    interval: null,
    latestFailed: false,
    runsIt: true,
    hasIt: true,
  },
  first: { time: NOW - MINUTE, failed: false, seconds: 10, changes: 0 },
  before: { failed: false, seconds: 10, changes: 0 },
  codeBefore: null,
  noCatalog: false,
  otherwise: [],
  strip: null,
  ...parts,
})

/** When the fleet and the page of a deploy say that a node is due that ran so often each half hour, and waits for the deploy. */
async function dueAfter(runs: number): Promise<readonly (number | null)[]> {
  const environment = `due${runs}`
  const ran = (certname: string, letter: string, minutes: number) => {
    const iso = formatTimestamp(NOW - minutes * MINUTE)
    const times = { start_time: iso, end_time: iso, producer_timestamp: iso }
    return report({ certname, environment, code_id: `${letter.repeat(8)}-due`, ...times })
  }
  vi.setSystemTime(NOW)
  await store(
    ...Array.from({ length: runs }, (_, index) => ran(`waits${runs}`, 'a', 10 + index * 30)),
    ran(`has-it${runs}`, 'b', 5),
  )
  const { groups } = await ask('/insight/v1/map', { environment })
  const deploy = await ask(`/insight/v1/deploys/${environment}/${'b'.repeat(8)}`, { environment })
  vi.useRealTimers()
  const cells = groups.flatMap((group: { cells: readonly MapCell[] }) => group.cells)
  const { time, interval } = cells.find((one: MapCell) => one.certname === `waits${runs}`)
  return [
    dueOf({ latest: Date.parse(time), interval }),
    deploy.complete_by === null ? null : Date.parse(deploy.complete_by),
  ]
}

const factsOf = (nodes: readonly DeployNode[]) => deployFacts(nodes, [], TIMES, () => 'web')
const NO_GROUNDS = { standing: 'current', began: [], otherwise: [] } as const

/** The verdict on a version that some nodes ran, of which some can be compared, while another waits. */
const verdictOn = (ran: number, compared = ran) =>
  verdictOf({
    ...NO_GROUNDS,
    facts: factsOf([
      ...names('web', ran).map((name, index) =>
        ranIt(name, index < compared ? {} : { before: null }),
      ),
      ranIt('waits', { latest: DEPLOYED - MINUTE, runsIt: false, hasIt: false, first: null }),
    ]),
  })

/** The last column of a row of the table before and after. */
function differenceOf(row: string, value: BeforeAfter, rest: BeforeAfter): string {
  const runs = {
    ...{ before: 10, after: 10, failed: rest, corrective: rest, changes: rest },
    ...{ median: rest, p95: rest, [row]: value },
  }
  const page = beforeAndAfter({ runs, code_version: CODE.code_version })
  return String(page)
}

testEdges('deploys', [
  edge({
    number: 'insight/deploys/rules.ts unsafeNodes',
    of: 'nodes fail by a cause that began with the deploy',
    cases: [
      [1, 'early'],
      [2, 'unsafe'],
      [3, 'unsafe'],
    ],
    drive: (nodes: number) =>
      verdictOf({ ...NO_GROUNDS, began: [nodes], facts: factsOf([ranIt('web1'), ...WAITING]) }),
  }),
  edge({
    number: 'insight/deploys/rules.ts unsafeNodes',
    of: 'nodes fail otherwise since the deploy',
    cases: [
      [1, 'done'],
      [2, 'otherwise'],
      [3, 'otherwise'],
    ],
    drive: (nodes: number) =>
      verdictOf({
        ...{ ...NO_GROUNDS, otherwise: [nodes] },
        facts: factsOf(names('web', 3).map((name) => ranIt(name))),
      }),
  }),
  edge({
    number: 'insight/deploys/rules.ts beganShare',
    of: 'of 100 nodes that fail by a cause broke with a code: the cause began with it, and the incident names it',
    cases: [
      [79, [null, null]],
      [80, [CODE.code_version, CODE.code_version]],
      [81, [CODE.code_version, CODE.code_version]],
    ],
    drive(broken: number) {
      const began = codeThatBegan(fleetOf({ web: { broken } }).breakages, causeOf(100))
      const deploy = incidentIn(100, { web: { broken } })?.deploy
      return [began?.code_version ?? null, deploy?.code_version ?? null]
    },
  }),
  edge({
    number: 'insight/deploys/rules.ts enoughNodes',
    of: 'nodes ran the version',
    cases: [
      [2, 'early'],
      [3, 'good'],
      [4, 'good'],
    ],
    drive: (nodes: number) => verdictOn(nodes),
  }),
  edge({
    number: 'insight/deploys/verdict.ts half',
    of: 'of 10 nodes have a run before the version',
    cases: [
      [4, 'incomparable'],
      [5, 'good'],
      [6, 'good'],
    ],
    drive: (compared: number) => verdictOn(10, compared),
  }),
  edge({
    number: 'insight/deploys/rules.ts enoughRuns',
    of: 'runs on each side are compared',
    cases: [
      [9, { failed: null, changes: null }],
      [10, { failed: 0, changes: 0 }],
      [11, { failed: 0, changes: 0 }],
    ],
    drive(runs: number) {
      const { failed, changes } = factsOf(names('web', runs).map((name) => ranIt(name))).runs
      return { failed: failed.before, changes: changes.after }
    },
  }),
  edge({
    number: 'insight/deploys/rules.ts enoughIntervals',
    of: 'runs of a waiting node, one more than intervals between them, from which fleet and deploy say when it is due',
    cases: [
      [3, [null, null]],
      [4, [NOW + 20 * MINUTE, NOW + 20 * MINUTE]],
      [5, [NOW + 20 * MINUTE, NOW + 20 * MINUTE]],
    ],
    drive: dueAfter,
  }),
  edge({
    number: 'insight/deploys/rules.ts failingShare',
    of: 'of 100 nodes of a group that ran the code fail: its other nodes are next in line',
    cases: [
      [49, null],
      [50, 'web'],
      [51, 'web'],
    ],
    drive(broken: number) {
      const { breakages, map } = fleetOf({ web: { broken, well: 100 - broken } })
      return failingCodeOf(VIEW, breakages, map)?.group ?? null
    },
  }),
  edge({
    number: 'insight/deploys/rules.ts shareFactor',
    of: 'times the changes per run',
    cases: [
      [1.99, /(about the same.*){5}/s],
      [2, /2\.0 times as many/],
      [2.01, /2\.0 times as many/],
    ],
    drive: (factor: number) =>
      differenceOf('changes', { before: 10, after: 10 * factor }, { before: 0, after: 0 }),
  }),
  edge({
    number: 'insight/deploys/rules.ts timeFactor',
    of: 'times the seconds of a run',
    cases: [
      [1.19, /(about the same.*){5}/s],
      [1.2, />longer</],
      [1.21, />longer</],
    ],
    drive: (factor: number) =>
      differenceOf('median', { before: 100, after: 100 * factor }, { before: 0, after: 0 }),
  }),
  edge({
    number: 'insight/deploys/version-use.ts half',
    of: 'nodes stayed with the newest version, while 5 have the earlier one again',
    cases: [
      [4, ['left', 'back']],
      [5, ['left', 'back']],
      [6, ['current', 'replaced']],
    ],
    drive(stayed: number) {
      const use = (
        code_version: string,
        nodes: number,
        parts: Partial<VersionUse>,
      ): VersionUse => ({
        ...{ environment: 'production', code_version, nodes, failing: 0, silent: 0 },
        ...{ returned: 0, newest: false, ...parts },
      })
      const uses = [use('new', stayed, { newest: true }), use('old', 9, { returned: 5 })]
      return [
        standingOf(uses, { code_version: 'new', replaced_at: null }),
        standingOf(uses, { code_version: 'old', replaced_at: formatTimestamp(DEPLOYED) }),
      ]
    },
  }),
  edge({
    number: 'insight/deploys/version-use.ts half',
    of: 'nodes have the earlier version again, while none has the newest one',
    cases: [
      [0, null],
      [1, 'old'],
      [2, 'old'],
    ],
    drive: (returned: number) =>
      returnedTo([
        {
          ...{ environment: 'production', code_version: 'old', nodes: 9, failing: 0 },
          ...{ silent: 0, returned, newest: false },
        },
      ])?.code_version ?? null,
  }),
])

const WAITS = { latest: DEPLOYED - MINUTE, runsIt: false, hasIt: false, first: null } as const
const WAITING = names('waits', 9).map((name) => ({ ...ranIt(name), ...WAITS }))

const NO_TRAITS = { environment: null, code: null, agent: null, compiler: null }
const NO_MAP: FleetMap = { by: 'group', nodes: 0, groups: [] }
/** Traits of a cause by which nodes fail, all or some of them with one agent. */
const traitsOf = (failing: number, others: number, agent: readonly [string, number, number]) =>
  traitsRead({ ...VIEW, where: sql`1`, rowPolicy: sql`1` } as unknown as View, 'cause')
    .read([[{ ...NO_TRAITS, failing, others, names: [], agent }]])(NO_MAP)
    .traits.map(({ value }) => value)

testEdges('causes', [
  edge({
    number: 'schema/acknowledgement.ts grownFactor',
    of: 'nodes failed when it was acknowledged: it is back at half as many more',
    cases: [
      [98, 147],
      [100, 150],
      [102, 153],
    ],
    drive: (nodes: number) => backAt(nodes),
  }),
  edge({
    number: 'schema/acknowledgement.ts grownNodes',
    of: 'nodes failed when it was acknowledged: it is back at 3 more',
    cases: [
      [1, 4],
      [5, 8],
      [6, 9],
    ],
    drive: (nodes: number) => backAt(nodes),
  }),
  edge({
    number: 'insight/causes/traits.ts LEAST_FAILING',
    of: 'failing nodes have traits in common',
    cases: [
      [2, []],
      [3, ['8.0']],
      [4, ['8.0']],
    ],
    drive: (failing: number) => traitsOf(failing, 10, ['8.0', failing, 0]),
  }),
  edge({
    number: 'insight/causes/traits.ts LEAST_SHARE',
    of: 'of 10 failing nodes have the trait',
    cases: [
      [4, []],
      [5, ['8.0']],
      [6, ['8.0']],
    ],
    drive: (failing: number) => traitsOf(10, 10, ['8.0', failing, 0]),
  }),
  edge({
    number: 'insight/causes/traits.ts LEAST_DIFFERENCE',
    of: 'of 8 other nodes have the trait, as 5 of 8 failing ones do',
    cases: [
      [3, ['8.0']],
      [4, ['8.0']],
      [5, []],
    ],
    drive: (others: number) => traitsOf(8, 8, ['8.0', 5, others]),
  }),
])

testEdges('spans', [
  edge({
    number: 'insight/buckets.ts MOST_BUCKETS',
    of: 'buckets of an hour',
    cases: [
      [9_999, 'read'],
      [10_000, 'read'],
      [10_001, /there are 10001 hours, and 10000 buckets are answered/],
    ],
    drive: (hours: number) =>
      messageOf(() => bucketsOf({ since: NOW - hours * HOUR, until: NOW }, 'hour')),
  }),
  edge({
    number: 'insight/buckets.ts LONGEST_OF_MINUTES',
    of: 'ms of a span in buckets of five minutes',
    cases: [
      [6 * HOUR - 1, 'read'],
      [6 * HOUR, 'read'],
      [6 * HOUR + 1, /are for spans of at most 6 hours/],
    ],
    drive: (span: number) =>
      messageOf(() => bucketsOf({ since: NOW - span, until: NOW }, 'five-minutes')),
  }),
])
