/**
 * The fields that a report is sent with, a line each; its lists (logs, metrics, resources) and its
 * certname stand elsewhere. From a line are derived: the key of the payload, the type Report, the
 * column, its insert, what a query may say, the answers, the export, the check that what it refers
 * to exists, and what the tests' evaluator knows. A new line needs a migration that adds its column.
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
  type StoredField,
  type FieldValues,
} from './stored-field.ts'

export interface ReportField extends StoredField {
  /** Its name among the fields of each event of the report. */
  readonly inEvents?: string
  /** Its name among the fields of the node whose latest report it is. */
  readonly inNodes?: string
}

/** By the name that the value has in a Report, in the order in which problems of a payload are told. */
export const REPORT_FIELDS = {
  agentVersion: {
    ...required(repeated('agent_version', 'agentVersion')),
    alias: 'puppet_version',
  },
  reportFormat: required(wholeNumber('report_format')),
  configurationVersion: {
    ...required(string('configuration_version')),
    inEvents: 'configuration_version',
  },
  startTime: { ...required(time('start_time')), inEvents: 'run_start_time' },
  endTime: {
    ...required(time('end_time')),
    inEvents: 'run_end_time',
    inNodes: 'report_timestamp',
  },
  producerTimestamp: required(key('producer_timestamp')),
  environment: {
    ...required(repeated('environment', 'environment')),
    inEvents: 'environment',
    inNodes: 'report_environment',
  },
  producer: repeated('producer', 'producer'),
  status: { ...repeated('status', 'reportStatus'), inNodes: 'latest_report_status' },
  type: code('type', ['agent', 'plan']),
  noop: { ...boolean('noop'), inNodes: 'latest_report_noop' },
  noopPending: { ...boolean('noop_pending'), inNodes: 'latest_report_noop_pending' },
  correctiveChange: { ...boolean('corrective_change'), inNodes: 'latest_report_corrective_change' },
  transactionUuid: uuidOrText('transaction_uuid'),
  catalogUuid: uuidOrText('catalog_uuid'),
  codeId: repeated('code_id', 'codeId'),
  jobId: { ...string('job_id'), inNodes: 'latest_report_job_id' },
  cachedCatalogStatus: {
    ...repeated('cached_catalog_status', 'cachedCatalogStatus'),
    inNodes: 'cached_catalog_status',
  },
}

/** The values of a report's fields. */
export type ReportValues = FieldValues<typeof REPORT_FIELDS>
export type ReportFieldName = keyof ReportValues

/** The fields with the names that their values have in a Report. */
export const reportFields = Object.entries(REPORT_FIELDS) as readonly (readonly [
  ReportFieldName,
  ReportField,
])[]
