/** What retention leaves. */

import type { Run } from './run.ts'

/** The runs that are left: those from a time on, in ms, and the latest of each node. */
export function remainingRuns(runs: readonly Run[], from: number): readonly Run[] {
  const newest = new Map<string, number>()
  for (const { certname, producer } of runs)
    newest.set(certname, Math.max(newest.get(certname) ?? -Infinity, producer))
  return runs.filter(
    ({ certname, producer }) => producer >= from || producer === newest.get(certname),
  )
}
