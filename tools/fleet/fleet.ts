/** Generates the reports of a fleet as commands, in the order of time. The same options give the same commands. */

import { estateNode } from './estate.ts'
import { randomOf } from './random.ts'
import { runCommand, type StoreReportCommand, type RunKind } from './run.ts'

/** Weights of the kinds of runs. */
export interface Mix {
  readonly unchanged: number
  readonly changed: number
  readonly failed: number
  readonly noop: number
}

export interface FleetOptions {
  readonly nodes: number
  /** Runs of each node. */
  readonly runs: number
  /** Number of the first run: a fleet that is generated a day at a time continues with it. */
  readonly firstRun?: number
  readonly seed?: number
  /** When the first runs begin, in ms since 1970. */
  readonly start?: number
  readonly intervalSeconds?: number
  readonly mix?: Mix
}

export const USUAL_MIX: Mix = { unchanged: 85, changed: 10, failed: 4, noop: 1 }
const FIRST_START = Date.UTC(2026, 2, 2)
/** Share of failed runs that got no catalog. */
const LOST = 0.15
/** Share of changes that correct drift. */
const CORRECTIVE = 0.3
const RUNS_PER_COMMIT = 6
const JITTER_MS = 20_000

/** The commands of a fleet of any size, one at a time. */
export function* fleetCommands(options: FleetOptions): Generator<StoreReportCommand, void> {
  const {
    nodes,
    runs,
    firstRun = 0,
    seed = 1,
    start = FIRST_START,
    intervalSeconds = 1800,
  } = options
  const mix = options.mix ?? USUAL_MIX
  const kinds = (Object.keys(mix) as (keyof Mix)[]).map((kind) => [kind, mix[kind]] as const)
  const interval = intervalSeconds * 1000
  const estate = Array.from({ length: nodes }, (_, index) => estateNode(seed, index))
  const order = estate.toSorted((one, other) => one.offset - other.offset)
  for (let run = 0; run < runs; run++) {
    const number = firstRun + run
    const commit = commitOf(seed, Math.floor(number / RUNS_PER_COMMIT))
    for (const node of order) {
      const random = randomOf(seed, 2, node.index, number)
      const drawn = random.weighted<RunKind>(kinds)
      yield runCommand(random, {
        node,
        kind: drawn === 'failed' && random.chance(LOST) ? 'lost' : drawn,
        start:
          start + run * interval + Math.floor(node.offset * interval) + random.whole(0, JITTER_MS),
        commit,
        corrective: drawn === 'changed' && random.chance(CORRECTIVE),
      })
    }
  }
}

/** The commit deployed at that time. */
export const commitOf = (seed: number, deployment: number): string =>
  randomOf(seed, 3, deployment).hex(40)
