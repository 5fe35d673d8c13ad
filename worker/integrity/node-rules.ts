/** The invariants of a node's row, one a line. Retention may delete any report but the latest, and does not change the row. */

import { FURTHEST_MOVE_MS } from '../schema/key.ts'
import { firstKey, keyMilliseconds } from '../sql/encoding.ts'
import { MOST_RUNS, RUN_BYTES } from '../store/runs.ts'
import type { StoredNode } from './node-rows.ts'

interface NodeRule {
  readonly invariant: string
  /** How the node breaks it, to append to the node's name; null where it does not. */
  readonly broken: (node: StoredNode) => string | null
}

const lacksLatest = ({ latest, latestNode }: StoredNode): boolean =>
  latest !== null && latestNode === null
const isOthers = ({ id, latest, latestNode, latestType }: StoredNode): boolean =>
  latest !== null && latestNode !== null && (latestNode !== id || latestType !== 0)

export const RULES_OF_NODE: readonly NodeRule[] = [
  {
    invariant: 'the latest report of a node exists',
    broken: (node) => (lacksLatest(node) ? `: report ${node.latest}` : null),
  },
  {
    invariant: "the latest report of a node is its agent's",
    broken: (node) => (isOthers(node) ? `: report ${node.latest}` : null),
  },
  {
    invariant: 'the latest report of a node has the greatest producer timestamp',
    broken: (node) =>
      lacksLatest(node) || isOthers(node) || node.latestTime === node.greatestTime
        ? null
        : `: latest is of ${node.latestTime}, the greatest is ${node.greatestTime}`,
  },
  {
    invariant: 'an environment of a node is in the dictionary',
    broken: ({ lacksString }) => (lacksString ? '' : null),
  },
  {
    invariant: 'the state of a node is that of its latest report',
    broken: ({ state, latestState }) =>
      state === latestState ? null : `: it is ${state}, and should be ${latestState}`,
  },
  {
    invariant: 'the environment of a node is that of its latest report',
    broken: ({ environment, latestEnvironment }) =>
      environment === latestEnvironment
        ? null
        : `: it is ${environment}, and should be ${latestEnvironment}`,
  },
  {
    invariant: "the last good report of a node is its agent's newest that did not fail",
    broken: ({ good, greatestGood, ownGood, newest }) =>
      isGreatest(good, greatestGood, ownGood, newest)
        ? null
        : `: it is ${good}, the newest there is ${greatestGood}`,
  },
  {
    invariant: "the newest report of a node is its agent's with the greatest key",
    broken: ({ newest, greatestKey, ownNewest, latest }) =>
      isGreatest(newest, greatestKey, ownNewest, furthestKey(latest))
        ? null
        : `: it is ${newest}, the greatest there is ${greatestKey}`,
  },
  {
    invariant: 'the runs of a node are whole, and as many as it keeps',
    broken: ({ runs, newest }) => {
      const length = (runs ?? '').length
      const right = length % RUN === 0 && length <= MOST_RUNS * RUN
      return right && length > 0 === (newest !== null) ? null : `: they are of ${length / 2} bytes`
    },
  },
  {
    invariant: 'the runs of a node begin with its newest report',
    broken: ({ newest, greatestKey, runs, recounted }) => {
      if (newest !== greatestKey) return null
      const [first, right] = [runsOf(runs)[0], runsOf(recounted)[0]]
      return first === right ? null : `: ${first}, and should be ${right}`
    },
  },
  {
    invariant: 'the reports of a node are among its runs, in their order',
    broken: ({ runs, recounted }) => {
      const lost = lostRun(runsOf(runs), runsOf(recounted))
      return lost === null ? null : `: ${lost} is not`
    },
  },
]

/**
 * Whether `key` can be the greatest of reports that retention may have deleted: the greatest stored key or,
 * if no report of the node has that key, a greater key up to `most`.
 */
function isGreatest(
  key: number | null,
  greatest: number | null,
  isOwn: boolean,
  most: number | null,
): boolean {
  if (key === greatest) return true
  return key !== null && !isOwn && key > (greatest ?? -Infinity) && key <= (most ?? -Infinity)
}

/** Upper bound of the keys of reports that are not newer than the latest. */
const furthestKey = (latest: number | null): number | null =>
  latest === null ? null : firstKey(keyMilliseconds(latest) + FURTHEST_MOVE_MS)

/** Number of hex digits of a run. */
const RUN = 2 * RUN_BYTES
const runsOf = (hex: string | null): string[] => (hex ?? '').toUpperCase().match(RUNS) ?? []
const RUNS = new RegExp(`.{${RUN}}`, 'g')
const secondOf = (run: string): string => run.slice(0, 8)

/** The first run of the reports that the row lacks. A full strip may lack older runs. */
function lostRun(runs: readonly string[], ofReports: readonly string[]): string | null {
  const isFull = runs.length === MOST_RUNS
  let from = 0
  for (const run of ofReports) {
    const at = runs.indexOf(run, from)
    if (at >= 0) from = at + 1
    else if (!isFull || secondOf(run) > secondOf(runs.at(-1)!)) return run
  }
  return null
}
