/** A fleet with problems: one node in twenty failed in its last run, and the newest run has just ended. */

import { estateNode, type EstateNode } from '../../tools/fleet/estate.ts'
import { commitOf } from '../../tools/fleet/fleet.ts'
import { randomOf } from '../../tools/fleet/random.ts'
import { runCommand, type StoreReportCommand, type RunKind } from '../../tools/fleet/run.ts'

export interface StandingOptions {
  readonly nodes: number
  /** Runs of a node that is not at the top of a list. */
  readonly runs: number
  readonly seed: number
  /** In ms since 1970. */
  readonly now: number
}

/** One node in this many failed, one changed something, and one corrected drift. */
const ONE_IN = 20
/** Runs of the nodes at the top of lists, enough to fill their strips. */
const FULL_STRIP = 32
/** Lists show a hundred nodes: failed ones first, then those with corrected drift, then changed ones. */
const SHOWN = 100
const INTERVAL_MS = 1_800_000
const LONGEST_RUN_MS = 60_000
/** For how many runs the causes of today's failures have existed. */
const FAILING_SINCE = 4

const LAST_KINDS: readonly RunKind[] = ['failed', 'changed', 'changed']

/** The outcome of a node's last run. */
const lastKind = (index: number): RunKind => LAST_KINDS[index % ONE_IN] ?? 'unchanged'
const corrects = (index: number): boolean => index % ONE_IN === 1

/** Number of nodes that failed in their last run. */
export const failedOf = (nodes: number): number => Math.ceil(nodes / ONE_IN)

/** Numbers of the nodes at the top of lists: by the outcome of their last run, then by name. */
function firstOfLists(estate: readonly EstateNode[]): ReadonlySet<number> {
  const byName = estate.toSorted((one, other) => (one.certname < other.certname ? -1 : 1))
  const groups = LAST_KINDS.map((_, remainder) =>
    byName.filter(({ index }) => index % ONE_IN === remainder).slice(0, SHOWN),
  )
  return new Set(groups.flat().map(({ index }) => index))
}

const estateOf = ({ nodes, seed }: StandingOptions): EstateNode[] =>
  Array.from({ length: nodes }, (_, index) => estateNode(seed, index))

/** Number of reports of the fleet. */
export function reportsOf(options: StandingOptions): number {
  const { nodes, runs } = options
  const full = firstOfLists(estateOf(options)).size
  return full * FULL_STRIP + (nodes - full) * runs
}

/** The commands of the fleet, in the order of time. */
export function* standingFleet(options: StandingOptions): Generator<StoreReportCommand, void> {
  const { runs, seed, now } = options
  const estate = estateOf(options)
  const full = firstOfLists(estate)
  const order = estate.toSorted((one, other) => one.offset - other.offset)
  const begun = now - LONGEST_RUN_MS - INTERVAL_MS
  for (let ago = Math.max(FULL_STRIP, runs) - 1; ago >= 0; ago--) {
    for (const node of order) {
      if (ago >= (full.has(node.index) ? FULL_STRIP : runs)) continue
      const start =
        begun - ago * INTERVAL_MS + Math.floor(node.offset * (INTERVAL_MS - LONGEST_RUN_MS))
      yield runCommand(randomOf(seed, 6, node.index, ago), {
        node,
        start,
        commit: commitOf(seed, Math.floor(ago / 6)),
        ...plotOf(node, ago, seed),
      })
    }
  }
}

/** The outcome of a node's run, counted back from its last one. */
function plotOf(
  { index }: EstateNode,
  ago: number,
  seed: number,
): { kind: RunKind; corrective: boolean } {
  const last = lastKind(index)
  if (ago === 0 || (last === 'failed' && ago < FAILING_SINCE)) {
    return { kind: last, corrective: corrects(index) }
  }
  const changed = randomOf(seed, 7, index, ago).chance(0.1)
  return { kind: changed ? 'changed' : 'unchanged', corrective: false }
}
