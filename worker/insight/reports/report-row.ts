/** A report as lists show it. */

import { sql } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { decodeState, type RunState } from '../../schema/states.ts'
import { integer, nullable, text, timestamp, type RowOf } from '../../sql/columns.ts'
import { lowerHexOf, producerTimestampOf } from '../../sql/encoding.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import type { EventCounts } from '../nodes/node-row.ts'

export interface ReportRow extends RunState, EventCounts {
  readonly hash: string
  readonly certname: string
  readonly environment: string
  /** The status that the agent sent. */
  readonly status: string | null
  readonly producer_timestamp: Timestamp
  readonly start_time: Timestamp
  readonly end_time: Timestamp
  readonly seconds: number
  readonly agent_version: string
  readonly code_version: string | null
}

/** The certname of a row `reports`. */
export const NODE_NAME = text(sql`(select n.certname from nodes n where n.id = reports.node)`)

/** The columns of a report called `reports`. */
export const REPORT = {
  hash: text(lowerHexOf(sql`reports.hash`)),
  certname: NODE_NAME,
  environment: text(stringOf(sql`reports.environment`)),
  status: nullable(text(stringOf(sql`reports.status`))),
  state: integer(sql`reports.state`),
  key: integer(sql`reports.id`),
  producerTimestamp: timestamp(sql.raw(producerTimestampOf('reports'))),
  startTime: integer(sql`reports.start_time`),
  endTime: integer(sql`reports.end_time`),
  agentVersion: text(stringOf(sql`reports.agent_version`)),
  codeId: nullable(text(stringOf(sql`reports.code_id`))),
  configurationVersion: text(sql`reports.configuration_version`),
  failures: integer(sql`reports.failures`),
  successes: integer(sql`reports.successes`),
  noops: integer(sql`reports.noops`),
  skips: integer(sql`reports.skips`),
}
export type StoredReport = RowOf<typeof REPORT>

export const reportRowOf = (report: StoredReport): ReportRow => ({
  hash: report.hash,
  certname: report.certname,
  environment: report.environment,
  status: report.status,
  ...decodeState(report.state),
  producer_timestamp: report.producerTimestamp,
  start_time: formatTimestamp(report.startTime),
  end_time: formatTimestamp(report.endTime),
  seconds: (report.endTime - report.startTime) / 1000,
  agent_version: report.agentVersion,
  code_version: codeVersionOf(report),
  failures: report.failures,
  successes: report.successes,
  noops: report.noops,
  skips: report.skips,
})
