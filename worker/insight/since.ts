/** What happened to the fleet since a moment: causes that began or are over, and deploys that broke nodes. */

import { answering, inOneStatement, namedReads, type BatchRead } from '../store/batch-read.ts'
import { causeListRead } from './causes/cause-list.ts'
import { breakagesRead } from './deploys/breakages.ts'
import type { Breakage } from '../outcomes/breakages.ts'
import type { View } from './view.ts'

export interface SinceThen {
  /** Causes by which nodes fail now, and did not then. */
  readonly began: number
  /** Causes by which nodes failed since, and fail no more. */
  readonly over: number
  /** Versions that broke nodes since, those of most nodes first. */
  readonly deploys: readonly {
    readonly environment: string
    readonly code_version: string
    readonly broke: number
    /** Nodes of them that fail now. */
    readonly broken: number
  }[]
}

/** Causes of a page: with more of them nobody counts. */
const MOST_CAUSES = 100

/** @param then in ms */
export function sinceRead(whole: View, then: number): BatchRead<SinceThen> {
  const view = { ...whole, since: then, until: whole.now + 1 }
  const options = { kind: 'failure', by: 'reason', onlyNew: false, limit: MOST_CAUSES } as const
  return answering(
    inOneStatement(
      namedReads({ causes: causeListRead(view, options), breakages: breakagesRead(view) }),
    ),
    ({ causes: { items }, breakages }) => ({
      began: items.filter(({ since }) => since !== null && Date.parse(since) >= then).length,
      over: items.filter(({ failing }) => failing === 0).length,
      deploys: deploysOf(breakages.filter(({ time }) => time >= then)),
    }),
  )
}

const deploysOf = (breakages: readonly Breakage[]): SinceThen['deploys'] =>
  [
    ...Map.groupBy(breakages, ({ environment, code_version }) =>
      JSON.stringify([environment, code_version]),
    ).values(),
  ]
    .map((those) => ({
      environment: those[0]!.environment,
      code_version: those[0]!.code_version,
      broke: those.length,
      broken: those.filter(({ outcome }) => outcome === 'broken').length,
    }))
    .toSorted((one, other) => other.broke - one.broke)
