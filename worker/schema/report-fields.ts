/**
 * The fields of a report, one a line, except its certname and its lists (logs, metrics, resources). Each line
 * defines the payload's key, the type Report, the column, its insert, the query field, the answers, the export,
 * the column of the history, the integrity check of references, and the tests' evaluator. A new line needs a
 * migration that adds its column.
 */

import {
  boolean,
  code,
  key,
  wholeNumber,
  repeated,
  required,
  string,
  time,
  uuidOrText,
  type HistoryField,
  type StoredField,
  type FieldValues,
} from './stored-field.ts'

export interface ReportField extends StoredField, HistoryField {
  /** Its name among the fields of an event, with the id of its column in the history's events. */
  readonly inEvents?: { readonly name: string } & HistoryField
  /** Its name among the fields of a node, for the node's latest report. */
  readonly inNodes?: string
}

/** By the property name in Report, in the order in which errors list the problems of a payload. */
export const REPORT_FIELDS = {
  agentVersion: {
    ...required(repeated('agent_version', 'agentVersion')),
    alias: 'puppet_version',
    inHistory: 19,
  },
  reportFormat: { ...required(wholeNumber('report_format')), inHistory: 20 },
  configurationVersion: {
    ...required(string('configuration_version')),
    inEvents: { name: 'configuration_version', inHistory: 24 },
    inHistory: 13,
  },
  startTime: {
    ...required(time('start_time')),
    inEvents: { name: 'run_start_time', inHistory: 21 },
    inHistory: 9,
  },
  endTime: {
    ...required(time('end_time')),
    inEvents: { name: 'run_end_time', inHistory: 22 },
    inNodes: 'report_timestamp',
    inHistory: 10,
  },
  producerTimestamp: { ...required(key('producer_timestamp')), inHistory: 3 },
  environment: {
    ...required(repeated('environment', 'environment')),
    inEvents: { name: 'environment', inHistory: 5 },
    inNodes: 'report_environment',
    inHistory: 4,
  },
  producer: { ...repeated('producer', 'producer'), inHistory: 12 },
  status: { ...repeated('status', 'reportStatus'), inNodes: 'latest_report_status', inHistory: 5 },
  type: { ...code('type', ['agent', 'plan']), inHistory: 21 },
  noop: { ...boolean('noop'), inNodes: 'latest_report_noop', inHistory: 6 },
  noopPending: {
    ...boolean('noop_pending'),
    inNodes: 'latest_report_noop_pending',
    inHistory: 7,
  },
  correctiveChange: {
    ...boolean('corrective_change'),
    inNodes: 'latest_report_corrective_change',
    inHistory: 8,
  },
  transactionUuid: { ...uuidOrText('transaction_uuid'), inHistory: 14 },
  catalogUuid: { ...uuidOrText('catalog_uuid'), inHistory: 15 },
  codeId: { ...repeated('code_id', 'codeId'), inHistory: 16 },
  jobId: { ...string('job_id'), inNodes: 'latest_report_job_id', inHistory: 17 },
  cachedCatalogStatus: {
    ...repeated('cached_catalog_status', 'cachedCatalogStatus'),
    inNodes: 'cached_catalog_status',
    inHistory: 18,
  },
} satisfies Readonly<Record<string, ReportField>>

/** The values of a report's fields. */
export type ReportValues = FieldValues<typeof REPORT_FIELDS>
export type ReportFieldName = keyof ReportValues

/** The fields, each with its property name in Report. */
export const reportFields = Object.entries(REPORT_FIELDS) as readonly (readonly [
  ReportFieldName,
  ReportField,
])[]
