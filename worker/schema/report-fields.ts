/**
 * The fields that a report is sent with, a line each; its lists (logs, metrics, resources) and its
 * certname stand elsewhere. From a line are derived: the key of the payload, the type Report, the
 * column, its insert, what a query may say, the answers, the export, the check that what it refers
 * to exists, and what the tests' evaluator knows. A new line needs a migration that adds its column.
 */

import type { StringKind } from './string-kinds.ts'

/** The TypeScript type of a value of each kind. Timestamps are ms since 1970, UTC. */
interface Values {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
  readonly timestamp: number
}
export type SentKind = keyof Values

/** How a value is stored in its column. */
type Stored =
  | { readonly form: 'plain'; readonly type: 'text' | 'integer' }
  /** 16 bytes, or the text that was sent where it is no UUID. */
  | { readonly form: 'uuid'; readonly type: 'blob' }
  /** The number of a code in the list. Null, and a missing key, mean the first one. */
  | { readonly form: 'code'; readonly type: 'integer'; readonly codes: readonly string[] }
  /** The id of a string of that kind, which a fleet repeats. */
  | { readonly form: 'reference'; readonly type: 'integer'; readonly target: StringKind }
  /** In the report's key; in the column only where the key can't hold it. */
  | { readonly form: 'key'; readonly type: 'integer' }

export interface ReportField<Kind extends SentKind = SentKind, Nullable extends boolean = boolean> {
  /** Its name in queries and answers, and that of its column. */
  readonly name: string
  /** Its key in the payload, where that is another; queries know this name too. */
  readonly alias?: string
  readonly kind: Kind
  /** It may be null, and its key may be missing. */
  readonly nullable: Nullable
  readonly stored: Stored
}

const optional =
  <Kind extends SentKind>(kind: Kind, stored: Stored) =>
  (name: string): ReportField<Kind, true> => ({ name, kind, nullable: true, stored })

const string = optional('string', { form: 'plain', type: 'text' })
const number = optional('number', { form: 'plain', type: 'integer' })
const boolean = optional('boolean', { form: 'plain', type: 'integer' })
const time = optional('timestamp', { form: 'plain', type: 'integer' })
const uuid = optional('string', { form: 'uuid', type: 'blob' })
const key = optional('timestamp', { form: 'key', type: 'integer' })
/** A text that a fleet repeats. */
const repeated = (name: string, target: StringKind) =>
  optional('string', { form: 'reference', type: 'integer', target })(name)
/** One of a few texts. */
const code = (name: string, codes: readonly string[]) =>
  required(optional('string', { form: 'code', type: 'integer', codes })(name))

/** The field, which every report has. */
const required = <Kind extends SentKind>(field: ReportField<Kind>): ReportField<Kind, false> => ({
  ...field,
  nullable: false,
})

/** By the name that the value has in a Report, in the order in which problems of a payload are told. */
export const REPORT_FIELDS = {
  agentVersion: {
    ...required(repeated('agent_version', 'agentVersion')),
    alias: 'puppet_version',
  },
  reportFormat: required(number('report_format')),
  configurationVersion: required(string('configuration_version')),
  startTime: required(time('start_time')),
  endTime: required(time('end_time')),
  producerTimestamp: required(key('producer_timestamp')),
  environment: required(repeated('environment', 'environment')),
  producer: repeated('producer', 'producer'),
  status: repeated('status', 'reportStatus'),
  type: code('type', ['agent', 'plan']),
  noop: boolean('noop'),
  noopPending: boolean('noop_pending'),
  correctiveChange: boolean('corrective_change'),
  transactionUuid: uuid('transaction_uuid'),
  catalogUuid: uuid('catalog_uuid'),
  codeId: repeated('code_id', 'codeId'),
  jobId: string('job_id'),
  cachedCatalogStatus: repeated('cached_catalog_status', 'cachedCatalogStatus'),
}

type ValueOf<Field> =
  Field extends ReportField<infer Kind, infer Nullable>
    ? Values[Kind] | (Nullable extends true ? null : never)
    : never

/** The values of a report's fields. */
export type ReportValues = {
  readonly [Name in keyof typeof REPORT_FIELDS]: ValueOf<(typeof REPORT_FIELDS)[Name]>
}
export type ReportFieldName = keyof ReportValues

/** The fields with the names that their values have in a Report. */
export const reportFields = Object.entries(REPORT_FIELDS) as readonly (readonly [
  ReportFieldName,
  ReportField,
])[]

/** The field's key in a payload. */
export const sentKey = ({ name, alias }: ReportField): string => alias ?? name
