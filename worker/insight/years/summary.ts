/** What the runs of a node in years come to: months, stretches of failed runs, versions, and runs that changed something. */

import type { Timestamp } from '../../lib/time.ts'
import type { YearRun } from './year-run.ts'

export interface MonthOfNode {
  /** `2026-03`, in UTC. */
  readonly month: string
  readonly runs: number
  readonly failed: number
  readonly corrective: number
  readonly changed: number
  /** Noop runs that would have changed something. */
  readonly pending: number
  readonly events: number
  /** The median of the runs' times. */
  readonly seconds: number
}

/** Failed runs without another one between them. */
export interface FailureStretch {
  readonly since: Timestamp
  /** When the next run was, which did not fail; null where the node's latest run is one of the stretch. */
  readonly until: Timestamp | null
  /** Whether it may have begun before: its first run is the first that was read. */
  readonly is_cut: boolean
  readonly runs: number
  /** Hashes of its first and its last report. */
  readonly report: string
  readonly last_report: string
  readonly causes: readonly StretchCause[]
}

export interface StretchCause {
  readonly cause: string
  /** Null where the database has forgotten the cause, and for restricted readers: its words may be of a hidden report. */
  readonly reason: string | null
}

/** A version between its first and its last run; other versions may have run between them. */
export interface VersionOfNode {
  readonly version: string
  readonly first: Timestamp
  readonly last: Timestamp
  readonly runs: number
  readonly failed: number
}

export interface YearsSummary {
  readonly runs: number
  readonly failed: number
  /** The newest first. */
  readonly months: readonly MonthOfNode[]
  /** These lists have at most `limit` items, the newest first. */
  readonly failures: readonly FailureStretch[]
  readonly code_versions: readonly VersionOfNode[]
  readonly agent_versions: readonly VersionOfNode[]
  /** Runs that changed something, noop ones excepted. */
  readonly changes: readonly YearRun[]
}

/** @param runs the newest first @param isCut whether older ones were not read */
export function yearsSummaryOf(
  runs: readonly YearRun[],
  isCut: boolean,
  limit: number,
): YearsSummary {
  const versions = (versionOf: (run: YearRun) => string | null): readonly VersionOfNode[] =>
    versionsOfRuns(runs, versionOf).slice(0, limit)
  return {
    runs: runs.length,
    failed: runs.filter(isFailed).length,
    months: monthsOf(runs),
    failures: stretchesOf(runs, isCut).slice(0, limit),
    code_versions: versions(({ code_version: version }) => version),
    agent_versions: versions(({ agent_version: version }) => version),
    changes: runs.filter(hasChanged).slice(0, limit),
  }
}

const isFailed = ({ state }: YearRun): boolean => state === 'failed'
const isNotable = ({ state }: YearRun): boolean => state === 'changed' || state === 'corrective'
const hasChanged = (run: YearRun): boolean => !run.noop && isNotable(run)

function monthsOf(runs: readonly YearRun[]): MonthOfNode[] {
  const byMonth = new Map<string, YearRun[]>()
  for (const run of runs) {
    const month = run.time.slice(0, 7)
    const some = byMonth.get(month)
    if (some === undefined) byMonth.set(month, [run])
    else some.push(run)
  }
  return [...byMonth].map(([month, some]) => {
    const count = (holds: (run: YearRun) => boolean): number => some.filter(holds).length
    const times = some.map(({ seconds }) => seconds).toSorted((one, other) => one - other)
    return {
      month,
      runs: some.length,
      failed: count(isFailed),
      corrective: count((run) => !run.noop && run.state === 'corrective'),
      changed: count((run) => !run.noop && run.state === 'changed'),
      pending: count((run) => run.noop && isNotable(run)),
      events: some.reduce((sum, { events }) => sum + events, 0),
      seconds: times[Math.floor(times.length / 2)]!,
    }
  })
}

function stretchesOf(runs: readonly YearRun[], isCut: boolean): FailureStretch[] {
  const stretches: FailureStretch[] = []
  let some: YearRun[] = []
  for (const [index, run] of runs.entries()) {
    if (!isFailed(run)) continue
    some.push(run)
    const before = runs[index + 1]
    if (before !== undefined && isFailed(before)) continue
    const last = some[0]!
    stretches.push({
      since: run.time,
      until: runs[index - some.length]?.time ?? null,
      is_cut: before === undefined && isCut,
      runs: some.length,
      report: run.hash,
      last_report: last.hash,
      causes: [...new Set(some.flatMap(({ causes }) => causes))].map((cause) => ({
        cause,
        reason: null,
      })),
    })
    some = []
  }
  return stretches
}

function versionsOfRuns(
  runs: readonly YearRun[],
  versionOf: (run: YearRun) => string | null,
): VersionOfNode[] {
  const uses = new Map<string, VersionOfNode>()
  for (const run of runs) {
    const version = versionOf(run)
    if (version === null) continue
    const use = uses.get(version) ?? {
      version,
      first: run.time,
      last: run.time,
      runs: 0,
      failed: 0,
    }
    const failed = use.failed + Number(isFailed(run))
    uses.set(version, { ...use, first: run.time, runs: use.runs + 1, failed })
  }
  return [...uses.values()].toSorted(
    (one, other) => Date.parse(other.first) - Date.parse(one.first),
  )
}
