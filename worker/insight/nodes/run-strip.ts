/** The strip of a node: its last runs, as its row holds them or, under a row policy, those that are visible. */

import { sql, type SQL } from 'drizzle-orm'
import { hexOf, literal } from '../../sql/encoding.ts'
import type { Timestamp } from '../../lib/time.ts'
import type { RunState } from '../../schema/states.ts'
import { MOST_RUNS, runOf, unpackRuns, unpackStates } from '../../store/runs.ts'
import type { View } from '../view.ts'

/** One run of a strip. */
export interface StripRun extends RunState {
  /** Producer timestamp, cut to the second. */
  readonly time: Timestamp
  /** From start to end, rounded; 65535 is that or more. */
  readonly seconds: number
}

/** Last runs of a node, oldest first: pages draw them right-aligned. As JSON it is its runs. */
export interface Strip {
  /** What they came to; equal states are one object. */
  readonly states: readonly RunState[]
  readonly runs: () => readonly StripRun[]
  readonly toJSON: () => readonly StripRun[]
}

/** Runs of the node `p` as hex digits, newest first. */
export const packedRuns = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select group_concat(run, '') from (select ${sql.raw(runOf('reports'))} as run from reports
        where reports.node = p.node and ${rowPolicy} order by reports.id desc limit ${literal(MOST_RUNS)}))`
    : hexOf(sql`p.runs`)

/** Times and durations are decoded only on demand: a page draws thousands of runs without them. */
export function stripOf(hex: string, most: number): Strip {
  let decoded: readonly StripRun[] | undefined
  const runs = () => (decoded ??= unpackRuns(hex, most))
  return { states: unpackStates(hex, most), runs, toJSON: runs }
}
