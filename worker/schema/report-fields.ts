/**
 * The fields of a report, one a line, except its certname and its lists (logs, metrics, resources). Each line
 * defines the payload's key, the type Report, the column, its insert, the query field, the answers, the export,
 * the integrity check of references, and the tests' evaluator. A new line needs a migration that adds its column.
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
  /** Its name among the fields of an event. */
  readonly inEvents?: string
  /** Its name among the fields of a node, for the node's latest report. */
  readonly inNodes?: string
}

/** By the property name in Report, in the order in which errors list the problems of a payload. */
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

/** The fields, each with its property name in Report. */
export const reportFields = Object.entries(REPORT_FIELDS) as readonly (readonly [
  ReportFieldName,
  ReportField,
])[]
