/** Reads the head of a report: all of its fields except events, logs and metrics. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import {
  flag,
  integer,
  json,
  nullable,
  select,
  text,
  timestamp,
  uuid,
  type RowOf,
} from '../../sql/columns.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import { BODY } from './report-body.ts'
import { REPORT } from './report-row.ts'
import { SLOWEST_COLUMN } from './report-slowest.ts'

/** The fields of a head beyond those in lists. */
export interface ReportHead {
  readonly receive_time: Timestamp
  readonly configuration_version: string
  readonly code_id: string | null
  readonly producer: string | null
  readonly transaction_uuid: string | null
  readonly catalog_uuid: string | null
  readonly cached_catalog_status: string | null
  readonly job_id: string | null
  readonly report_format: number
}

export const REPORT_HEAD = {
  ...REPORT,
  receiveTime: timestamp(sql`reports.receive_time`),
  producer: nullable(text(stringOf(sql`reports.producer`))),
  transactionUuid: nullable(uuid(sql`reports.transaction_uuid`)),
  catalogUuid: nullable(uuid(sql`reports.catalog_uuid`)),
  cachedCatalogStatus: nullable(text(stringOf(sql`reports.cached_catalog_status`))),
  jobId: nullable(text(sql`reports.job_id`)),
  reportFormat: integer(sql`reports.report_format`),
  isLatest: flag(sql`reports.id = (select n.latest from nodes n where n.id = reports.node)`),
  slowest: SLOWEST_COLUMN,
  warnings: nullable(json<string[], SQL>(sql`reports.warnings`)),
  ...BODY,
}
export type StoredHead = RowOf<typeof REPORT_HEAD>

/** The heads of the reports with the listed keys. */
export const reportHeads = (keys: SQL): TypedStatement<StoredHead> =>
  select(REPORT_HEAD, sql`from reports where reports.id in (${keys})`)

export const headOf = (head: StoredHead): ReportHead => ({
  receive_time: head.receiveTime,
  configuration_version: head.configurationVersion,
  code_id: head.codeId,
  producer: head.producer,
  transaction_uuid: head.transactionUuid,
  catalog_uuid: head.catalogUuid,
  cached_catalog_status: head.cachedCatalogStatus,
  job_id: head.jobId,
  report_format: head.reportFormat,
})
