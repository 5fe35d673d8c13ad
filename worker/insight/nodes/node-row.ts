/** A node with its latest report and the strip of its last runs, for lists and the node's own page. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { decodeState, type RunState } from '../../schema/states.ts'
import { flag, integer, keyTimestamp, nullable, text, type RowOf } from '../../sql/columns.ts'
import { lowerHexOf } from '../../sql/encoding.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import { lastGoodOf } from '../../outcomes/fragments.ts'
import { isSilentNode } from '../fragments.ts'
import type { View } from '../view.ts'
import { packedRuns, stripOf, type Strip } from './run-strip.ts'

/** Numbers of events of a report. */
export interface EventCounts {
  readonly failures: number
  readonly successes: number
  readonly noops: number
  readonly skips: number
}

export interface NodeRow {
  readonly certname: string
  /** State of the latest report; null without one. */
  readonly run: RunState | null
  readonly silent: boolean
  /** Seconds by which its clock is ahead, negative where it is behind; null while it is right. */
  readonly clock_off: number | null
  readonly environment: string | null
  /** Producer timestamp of the latest report. */
  readonly time: Timestamp | null
  readonly report: string | null
  readonly seconds: number | null
  readonly agent_version: string | null
  readonly code_version: string | null
  /** Numbers of events of the latest report. */
  readonly events: EventCounts | null
  /** The first cause of the latest report; null where it has none, or where the reader sees only some reports. */
  readonly reason: string | null
  /** Producer timestamp of the last report that did not fail; null where none is stored. */
  readonly last_good: Timestamp | null
  readonly strip: Strip
}

/** The columns of a node `p` that exist without any report. */
const ofNode = (view: View) => ({
  certname: text(sql`p.certname`),
  silent: nullable(flag(isSilentNode(sql`p`))),
  clockOff: nullable(integer(sql`p.clock_off`)),
  time: nullable(keyTimestamp(sql`p.latest`)),
  lastGood: nullable(keyTimestamp(lastGoodOf(view))),
  packedRuns: nullable(text(packedRuns(view))),
  reason: nullable(text(firstReason(view))),
})

/** The stored name of a cause may be of a hidden report, so a row policy leaves it out. */
const firstReason = ({ restricted }: View): SQL =>
  restricted
    ? sql`null`
    : sql`(select c.reason from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
        where rc.report = p.latest order by rc.event is null, rc.event, c.name limit 1)`

/** The columns of its latest report `r`; its state is null where the node never reported. */
const OF_REPORT = {
  state: integer(sql`r.state`),
  environment: text(stringOf(sql`r.environment`)),
  hash: text(lowerHexOf(sql`r.hash`)),
  duration: integer(sql`r.end_time - r.start_time`),
  agentVersion: text(stringOf(sql`r.agent_version`)),
  codeId: nullable(text(stringOf(sql`r.code_id`))),
  configurationVersion: text(sql`r.configuration_version`),
  failures: integer(sql`r.failures`),
  successes: integer(sql`r.successes`),
  noops: integer(sql`r.noops`),
  skips: integer(sql`r.skips`),
}
type LatestReport = RowOf<typeof OF_REPORT>

/** The columns of a node `p` and its latest report `r`. */
export const nodeColumns = (view: View) => ({ ...ofNode(view), ...OF_REPORT })

type StoredNode = RowOf<ReturnType<typeof ofNode>> &
  (LatestReport | { readonly [Name in keyof LatestReport]: null })

/** @param runs most runs in the strip */
export function nodeRowOf(node: StoredNode, runs: number): NodeRow {
  return {
    certname: node.certname,
    run: node.state === null ? null : decodeState(node.state),
    silent: node.silent === true,
    clock_off: node.clockOff === null ? null : node.clockOff / 1000,
    environment: node.environment,
    time: node.time,
    report: node.state === null ? null : node.hash,
    seconds: node.state === null ? null : node.duration / 1000,
    agent_version: node.agentVersion,
    code_version: node.state === null ? null : codeVersionOf(node),
    events: node.state === null ? null : eventCountsOf(node),
    reason: node.reason,
    last_good: node.lastGood,
    strip: stripOf(node.packedRuns ?? '', runs),
  }
}

/** A node in exports: a column for each value, and no strip. */
export const flatNodeRow = ({ certname, run, strip: _, events, ...node }: NodeRow) => ({
  certname,
  state: run?.state ?? null,
  noop: run?.noop ?? null,
  derived: run?.derived ?? null,
  ...node,
  failures: events?.failures ?? null,
  successes: events?.successes ?? null,
  noops: events?.noops ?? null,
  skips: events?.skips ?? null,
})

const eventCountsOf = ({ failures, successes, noops, skips }: LatestReport): EventCounts => ({
  failures,
  successes,
  noops,
  skips,
})
