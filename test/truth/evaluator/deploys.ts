/** Deploys: which version a run belongs to, what broke with it, what recovered, and whether a cause began with it. */

import { failingCauses, stretchesOf } from './causes.ts'
import { nodesOf, visibleEver, visibleNodes, type Node, type Question } from './fleet.ts'
import { timeOf, type Run } from './run.ts'
import { isSilent } from './silence.ts'

/** Fewer nodes name no version. */
const BEGAN_NODES = 2
const BEGAN_SHARE = 0.8

export interface Deploy {
  readonly environment: string
  readonly version: string
  /** When it first ran there, in ms. */
  readonly time: number
}

/**
 * Versions by the environments that they ran in, the newest first. A cached catalog brings no new version. When a version
 * first ran is known after retention, too.
 */
export function deploysOf(question: Question): readonly Deploy[] {
  const first = new Map<string, Deploy>()
  for (const run of visibleEver(question)) {
    if (run.named === null) continue
    const key = `${run.environment} ${run.named}`
    const time = Math.min(first.get(key)?.time ?? Infinity, timeOf(run))
    first.set(key, { environment: run.environment, version: run.named, time })
  }
  return [...first.values()].sort((one, other) => other.time - one.time)
}

/** So many last runs of an environment say which code is being rolled out there. */
const LAST_RUNS = 20

/**
 * The version that is being rolled out in an environment at a time: the newest of its last runs that compiled, as nodes may
 * have gone back from a newer one. A clock that is ahead says nothing.
 */
function rolledOutAt(question: Question, environment: string, time: number): Deploy | undefined {
  const last = question.runs
    .filter(
      (run) =>
        run.environment === environment &&
        run.producer < time &&
        run.named !== null &&
        run.catalog !== 'cached' &&
        question.maySee(run),
    )
    .toSorted((one, other) => other.producer - one.producer)
    .slice(0, LAST_RUNS)
    .map(({ named }) => named)
  return deploysOf(question).find(
    (deploy) =>
      deploy.environment === environment && deploy.time <= time && last.includes(deploy.version),
  )
}

/**
 * The version that a run belongs to; null for none. A run that did not compile belongs to the version that was being rolled
 * out in its environment, if the node's run before it was good or belongs to that version too.
 */
export function versionOf(question: Question, node: Node, run: Run): string | null {
  if (!run.notCompiled) return run.named
  const rolledOut = rolledOutAt(question, run.environment, timeOf(run))
  const before = node.runs[node.runs.indexOf(run) - 1]
  if (rolledOut === undefined || before === undefined) return null
  const belongs = !before.failed || versionOf(question, node, before) === rolledOut.version
  return belongs ? rolledOut.version : null
}

/** How a node took a version. */
export interface Taken {
  readonly node: Node
  /** Its runs with the version, in order; at least one. */
  readonly runs: readonly Run[]
  /** Its last run before them. */
  readonly before: Run | null
  /** The run with which it broke; null if it did not. */
  readonly broke: Run | null
  /** Whether it failed before, and fails with the version for a reason it never had before. */
  readonly otherwise: boolean
  /** Whether it fails with the version for a reason that failed nodes without it before. */
  readonly older: boolean
}

/** How the nodes took a version, deactivated ones included. */
export function takenBy(
  question: Question,
  { environment, version }: Pick<Deploy, 'environment' | 'version'>,
): readonly Taken[] {
  const nodes = visibleNodes(question)
  const isWith = (node: Node, run: Run): boolean =>
    run.environment === environment && versionOf(question, node, run) === version
  const withIt = new Set(nodes.flatMap((node) => node.runs.filter((run) => isWith(node, run))))
  // Such a run asked for the version's code too, whatever its node failed by before.
  const askedForIt = (run: Run): boolean =>
    run.notCompiled &&
    run.environment === environment &&
    rolledOutAt(question, environment, timeOf(run))?.version === version
  /** Whether nodes without the version failed by the cause already, in the stretch that the run is in. */
  const isOlder = (run: Run, cause: string): boolean => {
    const stretch = stretchesOf(nodes, cause).find(
      ({ since, until }) => since <= timeOf(run) && timeOf(run) < until,
    )
    return nodes.some(({ runs }) =>
      runs.some(
        (other) =>
          other.causes.includes(cause) &&
          !withIt.has(other) &&
          !askedForIt(other) &&
          timeOf(other) < timeOf(run) &&
          stretch !== undefined &&
          timeOf(other) >= stretch.since,
      ),
    )
  }
  return nodes.flatMap((node) => {
    const runs = node.runs.filter((run) => withIt.has(run))
    const first = runs[0]
    if (first === undefined) return []
    const before = node.runs[node.runs.indexOf(first) - 1] ?? null
    const good = runs.findIndex(({ failed }) => !failed)
    const failures = good < 0 ? runs : runs.slice(0, good)
    const isOwn = (run: Run): boolean =>
      run.causes.length === 0 || run.causes.some((cause) => !isOlder(run, cause))
    const known = new Set(
      node.runs.slice(0, node.runs.indexOf(first)).flatMap(({ causes }) => causes),
    )
    const broke =
      before !== null && !before.failed ? (failures.find((run) => isOwn(run)) ?? null) : null
    return [
      {
        node,
        runs,
        before,
        broke,
        otherwise:
          before?.failed === true &&
          failures.some(({ causes }) => causes.some((cause) => !known.has(cause))),
        older: broke === null && failures.length > 0,
      },
    ]
  })
}

export interface DeployTruth extends Deploy {
  /** Nodes that ran it. */
  readonly ran: number
  /** Active nodes whose latest run is with it. */
  readonly haveIt: number
  readonly broke: number
  readonly brokenNow: number
  readonly recovered: number
  /** Broke, and silent since. */
  readonly silent: number
  /** Broke, and inactive by now. */
  readonly gone: number
  readonly otherwise: number
  /** When nodes broke, in ms, ascending. */
  readonly brokeAt: readonly number[]
  /** Whether it is done and broke nothing. */
  readonly done: boolean
}

export function deployTruth(question: Question, deploy: Deploy): DeployTruth {
  const taken = takenBy(question, deploy)
  const broke = taken.filter((one) => one.broke !== null)
  const gone = broke.filter(({ node }) => !node.active)
  const here = broke.filter(({ node }) => node.active)
  const silent = here.filter(({ node }) => isSilent(question, node))
  const heard = here.filter(({ node }) => !isSilent(question, node))
  const active = nodesOf({ ...question, environment: deploy.environment })
  const ran = new Set(taken.map(({ node }) => node))
  const ranIt = (node: Node): boolean => [...ran].some(({ certname }) => certname === node.certname)
  return {
    ...deploy,
    ran: taken.length,
    haveIt: active.filter((node) => versionOf(question, node, node.latest) === deploy.version)
      .length,
    broke: broke.length,
    brokenNow: heard.filter(({ node }) => node.latest.failed).length,
    recovered: heard.filter(({ node }) => !node.latest.failed).length,
    silent: silent.length,
    gone: gone.length,
    otherwise: taken.filter(({ otherwise }) => otherwise).length,
    brokeAt: broke.map((one) => timeOf(one.broke!)).sort((one, other) => one - other),
    done:
      broke.length === 0 &&
      active.every((node) => ranIt(node) || isSilent(question, node)) &&
      active.every(
        ({ latest }) =>
          !(latest.failed && latest.catalog !== 'compiled' && timeOf(latest) >= deploy.time),
      ),
  }
}

/**
 * The version that a cause began with: most nodes that fail by it now broke with it by that cause, and were not well since: a
 * version that was rolled back has nothing to do with what burns now. Null for none.
 */
export function beganWith(question: Question, cause: string): Deploy | null {
  const failing = failingCauses(question).get(cause) ?? []
  const found = deploysOf(question).find((deploy) => {
    const broke = takenBy(question, deploy).filter(
      (one) =>
        one.broke?.causes.includes(cause) === true &&
        one.node.runs.slice(one.node.runs.indexOf(one.broke)).every(({ failed }) => failed) &&
        failing.some(({ certname }) => certname === one.node.certname),
    )
    return broke.length >= BEGAN_NODES && broke.length >= BEGAN_SHARE * failing.length
  })
  return found ?? null
}
