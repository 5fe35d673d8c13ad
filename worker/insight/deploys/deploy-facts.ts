/** What a deploy did, computed from its nodes: who has it, who waits, what broke, and how runs compare. */

import type { DeployNode } from './deploy-nodes.ts'
import { median, quantileOf } from './quantile.ts'

/** The thresholds of facts and of the verdict; docs/reference.md lists them. */
export const DEPLOY_THRESHOLDS = {
  unsafeNodes: {
    value: 2,
    about: 'nodes that fail by a cause that began with the deploy, for "not safe"',
  },
  beganShare: {
    value: 0.8,
    about: 'share of the nodes failing by a cause that were good before, for "began with it"',
  },
  enoughNodes: { value: 3, about: 'nodes that ran the version, for any verdict but "not safe"' },
  enoughRuns: { value: 10, about: 'runs on each side of a comparison' },
  enoughIntervals: { value: 3, about: 'distances between runs, for when a node is due' },
  failingShare: {
    value: 0.5,
    about: "share of a group's nodes that fail, for marking those next in line",
  },
  shareFactor: { value: 2, about: 'factor between two shares or counts that differ' },
  timeFactor: { value: 1.2, about: 'factor between two run times that differ' },
} as const

type Thresholds = typeof DEPLOY_THRESHOLDS
export const DEPLOY_RULES = Object.fromEntries(
  Object.entries(DEPLOY_THRESHOLDS).map(([name, { value }]) => [name, value]),
) as { readonly [Name in keyof Thresholds]: Thresholds[Name]['value'] }

/** A value before and after; null where too few runs are stored. */
export interface BeforeAfter {
  readonly before: number | null
  readonly after: number | null
}

export interface GroupRollout {
  readonly group: string
  readonly nodes: number
  readonly rolled_out: number
  /** Nodes that report, and have not run since the deploy. */
  readonly waiting: number
  readonly broke: number
}

export interface DeployFacts {
  /** Nodes of the environment. */
  readonly nodes: number
  /** Nodes that ran the version. */
  readonly rolled_out: number
  /** Nodes whose latest run has the version. */
  readonly have_it: number
  /** Nodes that report, and have not run since the deploy. */
  readonly waiting: number
  /** Nodes that ran since the deploy, always with other code. */
  readonly elsewhere: number
  /** Silent nodes without a run since the deploy. */
  readonly silent: number
  /** Good in the run before it, and failing in the latest run with it. */
  readonly broke: number
  /** Failing in the run before it, and good in the latest run with it. */
  readonly recovered: number
  /** Nodes that ran it and have a run before it: those that can be compared. */
  readonly compared: number
  /** When the last waiting node runs, by the usual intervals of the nodes, in ms; null if that is not known, or past. */
  readonly complete_by: number | null
  readonly runs: {
    readonly before: number
    readonly after: number
    /** Shares from 0 to 1. */
    readonly failed: BeforeAfter
    readonly corrective: BeforeAfter
    /** Changed resources per run: of the first run with it and of the run before. */
    readonly changes: BeforeAfter
    /** Seconds. */
    readonly median: BeforeAfter
    readonly p95: BeforeAfter
  }
  readonly groups: readonly GroupRollout[]
  /** Times in ms at which nodes first ran it, at which those that broke did, and at which waiting nodes are due; ascending. */
  readonly curve: {
    readonly rolled_out: readonly number[]
    readonly broke: readonly number[]
    readonly due: readonly number[]
  }
}

/** Whether a node failed in its latest run with the version: in its first one, if it has other code by now. */
export const failsAfter = ({ first, hasIt, latestFailed }: DeployNode): boolean =>
  hasIt ? latestFailed : (first?.failed ?? false)

const ranIt = ({ first, hasIt }: DeployNode): boolean => first !== null || hasIt

export const brokeNode = (node: DeployNode): boolean =>
  ranIt(node) && node.before !== null && !node.before.failed && failsAfter(node)

/** Times of a deploy in ms. */
export interface DeployTimes {
  /** The version's first report. */
  readonly deployed: number
  /** The first report of the next version; null without one. */
  readonly replaced: number | null
  readonly now: number
  /** Whether nodes are still to get it. */
  readonly isComing: boolean
}

export function deployFacts(
  nodes: readonly DeployNode[],
  { deployed, replaced, now, isComing }: DeployTimes,
  groupOf: (certname: string) => string,
): DeployFacts {
  const ran = nodes.filter(ranIt)
  const others = nodes.filter((node) => !ranIt(node))
  const ranOther = others.filter(({ latest }) => latest >= deployed)
  const idle = others.filter(({ latest }) => latest < deployed)
  const waiting = idle.filter(({ silent }) => !silent)
  const broke = ran.filter(brokeNode)
  const due = isComing ? waiting.flatMap((node) => dueOf(node) ?? []) : []
  const ahead = due.filter((time) => time >= now)
  return {
    nodes: nodes.length,
    rolled_out: ran.length,
    have_it: ran.filter(({ hasIt }) => hasIt).length,
    waiting: waiting.length,
    elsewhere: ranOther.length,
    silent: idle.length - waiting.length,
    broke: broke.length,
    recovered: ran.filter((node) => node.before?.failed === true && !failsAfter(node)).length,
    compared: ran.filter(({ before }) => before !== null).length,
    complete_by:
      ahead.length > 0 && due.length === waiting.length
        ? ahead.reduce((last, time) => Math.max(last, time))
        : null,
    runs: compare(ran, replaced),
    groups: groupsOf(nodes, new Set(waiting), groupOf),
    curve: {
      rolled_out: ran.flatMap(({ first }) => first?.time ?? []).sort(ascending),
      broke: broke.map(({ first, latest }) => first?.time ?? latest).sort(ascending),
      due: ahead.sort(ascending),
    },
  }
}

const ascending = (one: number, other: number): number => one - other

/** When a node runs next: its latest run and its usual distance between runs, in ms. */
function dueOf({ strip, latest }: DeployNode): number | null {
  const times = (strip ?? []).map(({ time }) => Date.parse(time))
  const distances = times.slice(1).map((time, index) => time - times[index]!)
  if (distances.length < DEPLOY_RULES.enoughIntervals) return null
  return latest + median(distances)!
}

/** The runs of the nodes' strips on both sides of their first run with the version. */
function compare(ran: readonly DeployNode[], replaced: number | null): DeployFacts['runs'] {
  const pairs = ran.flatMap((node) =>
    node.first === null || node.before === null
      ? []
      : [{ ...node, first: node.first, before: node.before }],
  )
  const before: RunSample[] = []
  const after: RunSample[] = []
  for (const node of pairs) {
    const runs = (node.strip ?? []).map((run) => ({ ...run, at: Date.parse(run.time) }))
    // Times of a strip are cut to the second.
    const start = Math.floor(node.first.time / 1000) * 1000
    const earlier = runs.filter(({ at }) => at < start)
    const since = runs.filter(({ at }) => at >= start && (replaced === null || at < replaced))
    // Nobody says which run of a node brought other code again, so only the first one is surely with the version.
    const later = replaced === null && !node.hasIt ? since.slice(0, 1) : since
    before.push(...(earlier.length > 0 ? earlier.map(sampleOf) : [sampleOfRun(node.before)]))
    after.push(...(later.length > 0 ? later.map(sampleOf) : [sampleOfRun(node.first)]))
  }
  const both = (measure: (runs: readonly RunSample[]) => number | null): BeforeAfter => ({
    before: before.length < DEPLOY_RULES.enoughRuns ? null : measure(before),
    after: after.length < DEPLOY_RULES.enoughRuns ? null : measure(after),
  })
  const enough = pairs.length >= DEPLOY_RULES.enoughRuns
  return {
    before: before.length,
    after: after.length,
    failed: both((runs) => shareOf(runs, ({ failed }) => failed)),
    corrective: both((runs) =>
      runs.some(({ corrective }) => corrective === null)
        ? null
        : shareOf(runs, ({ corrective }) => corrective === true),
    ),
    changes: {
      before: enough ? mean(pairs.map((pair) => pair.before.changes)) : null,
      after: enough ? mean(pairs.map((pair) => pair.first.changes)) : null,
    },
    median: both((runs) => median(runs.map(({ seconds }) => seconds))),
    p95: both((runs) =>
      quantileOf(
        runs.map(({ seconds }) => seconds),
        0.95,
      ),
    ),
  }
}

interface RunSample {
  readonly failed: boolean
  /** Null where only the report's own row says it. */
  readonly corrective: boolean | null
  readonly seconds: number
}

const sampleOf = ({ state, seconds }: { state: string; seconds: number }): RunSample => ({
  failed: state === 'failed',
  corrective: state === 'corrective',
  seconds,
})
const sampleOfRun = ({ failed, seconds }: { failed: boolean; seconds: number }): RunSample => ({
  failed,
  corrective: null,
  seconds,
})

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const shareOf = (runs: readonly RunSample[], holds: (run: RunSample) => boolean): number =>
  runs.filter(holds).length / runs.length

/** Groups by what broke in them, then by size. */
function groupsOf(
  nodes: readonly DeployNode[],
  waiting: ReadonlySet<DeployNode>,
  groupOf: (certname: string) => string,
): GroupRollout[] {
  const groups = Map.groupBy(nodes, ({ certname }) => groupOf(certname))
  return [...groups]
    .map(([group, those]) => ({
      group,
      nodes: those.length,
      rolled_out: those.filter(ranIt).length,
      waiting: those.filter((node) => waiting.has(node)).length,
      broke: those.filter(brokeNode).length,
    }))
    .sort(
      (one, other) =>
        other.broke - one.broke || other.nodes - one.nodes || (one.group < other.group ? -1 : 1),
    )
}
