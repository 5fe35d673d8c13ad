/** Who is silent, which clocks are off, and whether "nothing fails" may be said. */

import {
  failingNodes,
  MINUTE,
  nodesOf,
  visibleEver,
  visibleRuns,
  type Node,
  type Question,
} from './fleet.ts'
import { timeOf, type Run } from './run.ts'

/** How far the two times of a run may differ. */
const CLOCK_TOLERANCE = 10 * MINUTE
/** The usual interval is taken from so many last runs. */
const LAST_RUNS = 32
const GROUP_NODES = 5
const GROUP_SHARE = 0.8
const MOST_SILENT = 0.05

/** The middle of the values; the mean of both middles. Null without values. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  return sorted.length === 0
    ? null
    : (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}

/**
 * A node's usual time between two runs, in ms: the median of its last 32 runs, those that were deleted among them, unless
 * the reader sees some runs of a node only. Null with fewer than two.
 */
function intervalOf(question: Question, { certname }: Node): number | null {
  const known = question.seesWholeNodes ? visibleEver(question) : visibleRuns(question)
  const times = known
    .filter((run) => run.certname === certname)
    .map(({ producer }) => producer)
    .toSorted((one, other) => one - other)
    .slice(-LAST_RUNS)
  return medianOf(times.slice(1).map((time, index) => time - times[index]!))
}

/**
 * How far a node's clock is ahead of ours, in ms; null while it is right. A clock that is slow shows in two runs: made at
 * least ten minutes apart, and received as much apart. Reports of an import or of a backlog come together.
 */
export function clockOffOf({ runs }: Node): number | null {
  const last = runs.toSorted((one, other) => one.received - other.received).at(-1)!
  const offset = aheadBy(last)
  if (offset > CLOCK_TOLERANCE) return offset
  if (offset >= -CLOCK_TOLERANCE) return null
  const before = runs.findLast(({ producer }) => producer <= last.producer - CLOCK_TOLERANCE)
  return before !== undefined && Math.abs(aheadBy(before) - offset) <= CLOCK_TOLERANCE
    ? offset
    : null
}

const aheadBy = ({ producer, received }: Run): number => producer - received

/** When a node was heard of last, in ms. */
export function heardOf(node: Node): number {
  const times = node.runs.map(clockOffOf(node) === null ? timeOf : ({ received }) => received)
  return Math.max(...times)
}

export const isSilent = (question: Question, node: Node): boolean =>
  question.now - heardOf(node) >
  Math.max(2 * (intervalOf(question, node) ?? 0), question.silentAfter)

export const silentNodes = (question: Question): readonly Node[] =>
  nodesOf(question).filter((node) => isSilent(question, node))

export interface GroupSilence {
  readonly group: string
  /** Nodes that fell silent together, of all of the group. */
  readonly silent: number
  readonly nodes: number
  /** When the last of them was heard of. */
  readonly since: number
}

/** Groups of which most nodes fell silent within one usual interval of the silent ones. */
export function groupSilences(question: Question): readonly GroupSilence[] {
  const groups = Map.groupBy(nodesOf(question), ({ certname }) => question.groupOf(certname))
  return [...groups].flatMap(([group, nodes]) => {
    const within =
      medianOf(nodes.flatMap((node) => intervalOf(question, node) ?? [])) ?? question.silentAfter
    const heard = nodes.filter((node) => isSilent(question, node)).map(heardOf)
    const together = heard
      .map((since) => ({
        since,
        silent: heard.filter((time) => time <= since && time >= since - within).length,
      }))
      .sort((one, other) => other.silent - one.silent || other.since - one.since)[0]
    return together !== undefined &&
      nodes.length >= GROUP_NODES &&
      together.silent >= GROUP_SHARE * nodes.length
      ? [{ group, ...together, nodes: nodes.length }]
      : []
  })
}

/** Whether "nothing fails" may be said. */
export const isCalm = (question: Question): boolean =>
  failingNodes(question).length === 0 &&
  (newestTime(question) ?? -Infinity) >= question.since &&
  silentNodes(question).length < MOST_SILENT * nodesOf(question).length &&
  groupSilences(question).length === 0

/** The time of the newest run, in ms; null without runs. */
export const newestTime = (question: Question): number | null =>
  nodesOf(question).reduce<number | null>(
    (newest, { runs }) => Math.max(newest ?? -Infinity, ...runs.map(timeOf)),
    null,
  )
