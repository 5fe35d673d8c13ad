/** What a deploy did, computed from its nodes: who has it, who waits, what broke, and how runs compare. */

import { dueOf } from '../nodes/node-map.ts'
import { countBroken, type BrokenCounts } from './breakages.ts'
import type { Breakage } from '../../outcomes/breakages.ts'
import type { DeployNode } from './deploy-nodes.ts'
import { median, quantileOf } from '../quantile.ts'
import { DEPLOY_RULES } from './rules.ts'

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

export interface DeployFacts extends BrokenCounts {
  /** Nodes of the environment. */
  readonly nodes: number
  /** Nodes that ran the version. */
  readonly rolled_out: number
  /** Nodes whose latest run is of the version, or belongs to it. */
  readonly have_it: number
  /** Nodes that report, and have not run since the deploy. */
  readonly waiting: number
  /** Nodes that ran since the deploy, always with other code or without a catalog. */
  readonly elsewhere: number
  /** Silent nodes without a run since the deploy. */
  readonly silent: number
  /** Nodes that fail now, since the deploy, because they get no catalog. */
  readonly no_catalog: number
  /** Nodes that failed before it, and failed in their first run with it for a reason that they never had before. */
  readonly failing_otherwise: number
  /** Nodes that have it and fail now, and neither broke with it nor fail otherwise since. */
  readonly failing_besides: number
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
  /** Times in ms at which nodes first ran it, of the runs that broke, and at which waiting nodes are due; ascending. */
  readonly curve: {
    readonly rolled_out: readonly number[]
    readonly broke: readonly number[]
    readonly due: readonly number[]
  }
}

const ranIt = ({ first, runsIt }: DeployNode): boolean => first !== null || runsIt

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

/** @param breakages of the version in its environment */
export function deployFacts(
  nodes: readonly DeployNode[],
  breakages: readonly Breakage[],
  { deployed, replaced, now, isComing }: DeployTimes,
  groupOf: (certname: string) => string,
): DeployFacts {
  const ran = nodes.filter(ranIt)
  const others = nodes.filter((node) => !ranIt(node))
  const ranOther = others.filter(({ latest }) => latest >= deployed)
  const idle = others.filter(({ latest }) => latest < deployed)
  const waiting = idle.filter(({ silent }) => !silent)
  const broke = new Set(breakages.map(({ certname }) => certname))
  const due = isComing ? waiting.flatMap((node) => dueOf(node) ?? []) : []
  const ahead = due.filter((time) => time >= now)
  return {
    nodes: nodes.length,
    rolled_out: ran.length,
    have_it: nodes.filter(({ hasIt }) => hasIt).length,
    waiting: waiting.length,
    elsewhere: ranOther.length,
    silent: idle.length - waiting.length,
    no_catalog: nodes.filter(({ noCatalog }) => noCatalog).length,
    ...countBroken(breakages),
    failing_otherwise: ran.filter(({ otherwise }) => otherwise.length > 0).length,
    failing_besides: nodes.filter(
      ({ certname, hasIt, latestFailed, otherwise }) =>
        hasIt && latestFailed && otherwise.length === 0 && !broke.has(certname),
    ).length,
    compared: ran.filter(({ before }) => before !== null).length,
    complete_by:
      ahead.length > 0 && due.length === waiting.length
        ? ahead.reduce((last, time) => Math.max(last, time))
        : null,
    runs: compare(ran, replaced),
    groups: groupsOf(nodes, { waiting: new Set(waiting), broke }, groupOf),
    curve: {
      rolled_out: ran.flatMap(({ first }) => first?.time ?? []).sort(ascending),
      broke: breakages.map(({ time }) => time).sort(ascending),
      due: ahead.sort(ascending),
    },
  }
}

const ascending = (one: number, other: number): number => one - other

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
    const later = replaced === null && !node.runsIt ? since.slice(0, 1) : since
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
  {
    waiting,
    broke,
  }: { readonly waiting: ReadonlySet<DeployNode>; readonly broke: ReadonlySet<string> },
  groupOf: (certname: string) => string,
): GroupRollout[] {
  const groups = Map.groupBy(nodes, ({ certname }) => groupOf(certname))
  return [...groups]
    .map(([group, those]) => ({
      group,
      nodes: those.length,
      rolled_out: those.filter(ranIt).length,
      waiting: those.filter((node) => waiting.has(node)).length,
      broke: those.filter(({ certname }) => broke.has(certname)).length,
    }))
    .sort(
      (one, other) =>
        other.broke - one.broke || other.nodes - one.nodes || (one.group < other.group ? -1 : 1),
    )
}
