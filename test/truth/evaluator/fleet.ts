/** The nodes that a reader sees, each with its runs in order. */

import type { Run } from './run.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** What is asked, and of what. Times in ms. */
export interface Question {
  /** The runs that are stored. */
  readonly runs: readonly Run[]
  /** Those and the ones that retention deleted: what outlives its reports is read from them. */
  readonly everyRun: readonly Run[]
  /** When nodes were deactivated, by certname. */
  readonly deactivated: ReadonlyMap<string, number>
  /** Names of causes that are acknowledged now. */
  readonly acknowledged: ReadonlySet<string>
  readonly now: number
  /** Runs from here on, inclusive. */
  readonly since: number
  /** Runs before this, exclusive. */
  readonly until: number
  /** Only nodes whose latest run is of it, and their runs of it; null for all. */
  readonly environment: string | null
  /** Which runs the reader may see. */
  readonly maySee: (run: Run) => boolean
  /** Retention deleted the reports before it; null if it deleted none. */
  readonly deletedBefore: number | null
  /** Whether the reader can know what was first: not of some nodes, once retention looked for old reports. */
  readonly knowsFirst: boolean
  /** Whether the reader sees all runs of a node: its usual interval then outlives them. */
  readonly seesWholeNodes: boolean
  /** A node is not silent sooner than after this. */
  readonly silentAfter: number
  /** The group that a certname belongs to. */
  readonly groupOf: (certname: string) => string
}

export interface Node {
  readonly certname: string
  readonly active: boolean
  /** Those that the reader may see, ordered by `producer_timestamp`; at least one. */
  readonly runs: readonly Run[]
  readonly latest: Run
}

/**
 * Nodes whose latest run the reader may see, with the runs that the reader may see. A node that moved out of the reader's
 * sight is not theirs any more. The environment of the question is not applied.
 */
export function visibleNodes({ runs, deactivated, maySee }: Question): readonly Node[] {
  const byNode = Map.groupBy(runs, ({ certname }) => certname)
  return [...byNode].flatMap(([certname, all]) => {
    const ordered = all.toSorted((one, other) => one.producer - other.producer)
    const latest = ordered.at(-1)!
    const ended = deactivated.get(certname) ?? -Infinity
    return maySee(latest)
      ? [{ certname, active: ended < latest.producer, runs: ordered.filter(maySee), latest }]
      : []
  })
}

/** Every run that the reader may see, of nodes that are active and of others. */
export const visibleRuns = ({ runs, maySee }: Question): readonly Run[] =>
  runs.filter((run) => maySee(run))

/** Every run that the reader may see, those that retention deleted among them. */
export const visibleEver = ({ everyRun, maySee }: Question): readonly Run[] =>
  everyRun.filter((run) => maySee(run))

/** Whether a node is active, whether or not the reader may see it. */
const activeNames = (question: Question): ReadonlySet<string> =>
  new Set(
    visibleNodes({ ...question, maySee: () => true })
      .filter(({ active }) => active)
      .map(({ certname }) => certname),
  )

/** Runs of the question's environment within its span by their `producer_timestamp`, of active nodes. */
export function runsInSpan(question: Question): readonly Run[] {
  const active = activeNames(question)
  return visibleRuns(question).filter(
    (run) =>
      active.has(run.certname) &&
      (question.environment === null || run.environment === question.environment) &&
      run.producer >= question.since &&
      run.producer < question.until,
  )
}

/** The active nodes of the question's environment: the nodes that a page counts. */
export const nodesOf = (question: Question): readonly Node[] =>
  visibleNodes(question).filter(
    ({ active, latest }) =>
      active && (question.environment === null || latest.environment === question.environment),
  )

/** Nodes whose latest run failed. */
export const failingNodes = (question: Question): readonly Node[] =>
  nodesOf(question).filter(({ latest }) => latest.failed)
