/** The strip of a node: its last runs, from its row or, where a row policy hides some of them, from the visible reports. */

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
  /** From start to end, rounded; 65535 means that or more. */
  readonly seconds: number
}

/** Last runs of a node, oldest first: pages draw them right-aligned. Its JSON is the list of runs. */
export interface Strip {
  /** The states of the runs; equal states are one object. */
  readonly states: readonly RunState[]
  readonly runs: () => readonly StripRun[]
  readonly toJSON: () => readonly StripRun[]
}

/** Runs of the node `p` as hex digits, newest first. */
export const packedRuns = ({ hidesRuns, rowPolicy }: View): SQL =>
  hidesRuns
    ? sql`(select group_concat(run, '') from (select ${sql.raw(runOf('reports'))} as run from reports
        where reports.node = p.node and ${rowPolicy} order by reports.id desc limit ${literal(MOST_RUNS)}))`
    : hexOf(sql`p.runs`)

/** Decodes times and durations only on demand, because a page draws thousands of runs without them. */
export function stripOf(hex: string, most: number): Strip {
  let decoded: readonly StripRun[] | undefined
  const runs = () => (decoded ??= unpackRuns(hex, most))
  return { states: unpackStates(hex, most), runs, toJSON: runs }
}
