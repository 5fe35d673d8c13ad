/** Causes of failure: who fails by them, since when, and since when they are known. */

import {
  failingNodes,
  nodesOf,
  runsInSpan,
  visibleEver,
  type Node,
  type Question,
} from './fleet.ts'
import { groupSilences } from './silence.ts'
import { timeOf, type Run } from './run.ts'

/** Causes by which nodes fail now, each with its nodes. */
export function failingCauses(question: Question): ReadonlyMap<string, readonly Node[]> {
  const pairs = failingNodes(question).flatMap((node) =>
    node.latest.causes.map((cause) => ({ cause, node })),
  )
  const groups = Map.groupBy(pairs, ({ cause }) => cause)
  return new Map([...groups].map(([cause, those]) => [cause, those.map(({ node }) => node)]))
}

/** Causes that burn: nodes fail by them now, and they are not acknowledged. */
export const openCauses = (question: Question): readonly string[] =>
  [...failingCauses(question).keys()].filter((cause) => !question.acknowledged.has(cause))

/** Whether ● and the red icon are shown. */
export const isMarked = (question: Question): boolean =>
  openCauses(question).length > 0 || groupSilences(question).length > 0

/** A time through which nodes failed by a cause without a break, in ms. */
export interface Stretch {
  readonly since: number
  /** Infinite while nodes fail by it. */
  readonly until: number
}

/** The stretches of a cause over these nodes, oldest first: a run fails by it until the node's next run. */
export function stretchesOf(
  nodes: readonly Pick<Node, 'runs'>[],
  cause: string,
  counts: (run: Run) => boolean = () => true,
): readonly Stretch[] {
  const failures = nodes.flatMap(({ runs }) =>
    runs.flatMap((run, index) =>
      run.causes.includes(cause) && counts(run)
        ? [{ since: timeOf(run), until: runs[index + 1] ? timeOf(runs[index + 1]!) : Infinity }]
        : [],
    ),
  )
  const stretches: Stretch[] = []
  for (const failure of failures.toSorted((one, other) => one.since - other.since)) {
    const last = stretches.at(-1)
    if (last === undefined || failure.since > last.until) stretches.push(failure)
    else
      stretches[stretches.length - 1] = {
        since: last.since,
        until: Math.max(last.until, failure.until),
      }
  }
  return stretches
}

/** Since when the cause burns, in ms; null where it doesn't. */
export function sinceOf(question: Question, cause: string): number | null {
  const { environment } = question
  const active = nodesOf({ ...question, environment: null })
  const last = stretchesOf(
    active,
    cause,
    (run) => environment === null || run.environment === environment,
  ).at(-1)
  return last?.until === Infinity && failingCauses(question).has(cause) ? last.since : null
}

/** When the cause was first seen, in ms; null if it never was, or if that can't be known. */
export const firstSeenOf = (question: Question, cause: string): number | null =>
  question.knowsFirst
    ? earliest(visibleEver(question).filter(({ causes }) => causes.includes(cause)))
    : null

/** When drift of the resource was first corrected, in ms. */
export const firstDriftOf = (question: Question, resource: string): number | null =>
  earliest(visibleEver(question).filter(({ corrected }) => corrected.includes(resource)))

const earliest = (runs: readonly Run[]): number | null =>
  runs.reduce<number | null>((first, run) => Math.min(first ?? Infinity, timeOf(run)), null)

/** Whether it was first seen within the span, and never before. */
export const isNewCause = (question: Question, cause: string): boolean => {
  const first = firstSeenOf(question, cause)
  return first !== null && first >= question.since && first < question.until
}

/** Nodes and runs with the cause within the span. */
export function causeInSpan(question: Question, cause: string) {
  const runs = runsInSpan(question).filter(({ causes }) => causes.includes(cause))
  return { runs: runs.length, nodes: new Set(runs.map(({ certname }) => certname)).size }
}

/** Resources whose drift was corrected within the span. */
export const driftInSpan = (question: Question): readonly string[] => [
  ...new Set(runsInSpan(question).flatMap(({ corrected }) => corrected)),
]
