/** What lists, pages, sentences and charts say of the nodes that broke with a version, counted from their rows. */

import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { breakages, type Breakage, type BreakageOutcome } from '../../outcomes/breakages.ts'
import type { CodeOfEnvironment } from '../../outcomes/code-versions.ts'
import type { View } from '../../outcomes/view.ts'
import { DEPLOY_RULES } from './rules.ts'

export type { Breakage }

export const breakagesRead = (view: View): BatchRead<readonly Breakage[]> =>
  batchRead([breakages(view)], ([rows]) => rows)

/** The breakages with a version. */
export const breakagesOf = (
  rows: readonly Breakage[],
  code: CodeOfEnvironment,
): readonly Breakage[] =>
  rows.filter(
    (one) => one.environment === code.environment && one.code_version === code.code_version,
  )

/** The breakages by a cause, of nodes that have failed ever since and fail by it now. */
export const failingBecauseOf = (
  rows: readonly Breakage[],
  cause: string | null,
): readonly Breakage[] =>
  rows.filter(
    ({ causes, failing }) => cause !== null && causes.includes(cause) && failing.includes(cause),
  )

/**
 * The version that a cause began with: most nodes that fail by it now broke with the version by it, and were not well since.
 * Null where there is none, and of one node.
 *
 * @param failing nodes that fail by it now
 */
export function codeThatBegan(
  rows: readonly Breakage[],
  { cause, failing }: { readonly cause: string | null; readonly failing: number | null },
): CodeOfEnvironment | null {
  const codes = Map.groupBy(failingBecauseOf(rows, cause), ({ environment, code_version }) =>
    JSON.stringify([environment, code_version]),
  )
  const [most] = [...codes.values()].sort((one, other) => other.length - one.length)
  const { unsafeNodes, beganShare } = DEPLOY_RULES
  if (most === undefined || most.length < unsafeNodes) return null
  if (most.length < beganShare * (failing ?? Infinity)) return null
  const { environment, code_version } = most[0]!
  return { environment, code_version }
}

/** The nodes that broke with a version, and what became of them. */
export interface BrokenCounts {
  readonly broke: number
  /** Of these, nodes whose latest run failed. */
  readonly broken_now: number
  /** Nodes whose latest run did not fail, whatever code it had. */
  readonly recovered: number
  /** Nodes that are silent since. */
  readonly broke_silent: number
  /** Nodes that were deactivated, or have expired. */
  readonly broke_deleted: number
}

export function countBroken(rows: readonly Breakage[]): BrokenCounts {
  const count = (wanted: BreakageOutcome) => rows.filter(({ outcome }) => outcome === wanted).length
  return {
    broke: rows.length,
    broken_now: count('broken'),
    recovered: count('recovered'),
    broke_silent: count('silent'),
    broke_deleted: count('deleted'),
  }
}
