/** The payload of `store report` in any wire format → Report. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { eventsOf, IN_RESOURCE_EVENTS, IN_RESOURCES } from './events.ts'
import { excerpt, Fields, misspelt } from './fields.ts'
import { reportHash } from './hash.ts'
import * as kinds from './kinds.ts'
import { isRecord } from '../lib/lossless.ts'
import { modernised } from './older.ts'
import type { Report } from './report.ts'

/** A report and what its sender should know about it, such as an event that had to be left out. */
export interface Decoded {
  readonly report: Report
  readonly warnings: readonly string[]
}

const MOST_WARNINGS = 10

const KNOWN_KEYS: readonly string[] = [
  'cached_catalog_status',
  'catalog_uuid',
  'certname',
  'code_id',
  'configuration_version',
  'corrective_change',
  'end_time',
  'environment',
  'job_id',
  'logs',
  'metrics',
  'noop',
  'noop_pending',
  'producer',
  'producer_timestamp',
  'puppet_version',
  'report_format',
  'resources',
  'start_time',
  'status',
  'transaction_uuid',
  'type',
]

/**
 * Reads the payload of `store report`, wire formats 3 to 8; `received` is ms since 1970, UTC. A payload posted under a
 * version that isn't its own is taken for what it is, as PuppetDB does. Unlike PuppetDB, nullable keys may be missing,
 * unknown keys are ignored, and a bad event costs that event and not the report.
 * Throws CommandError naming each path and value when the report as a whole can't be understood.
 */
export function decodeReport(payload: Json, version: number, received: number): Decoded {
  if (!isRecord(payload)) {
    throw new CommandError(`The payload must be a JSON object, ${excerpt(payload)} is none.`)
  }
  const modern = modernised(payload, version, received)
  const fields = new Fields(modern, (key) => key)
  const head = readHead(fields)
  const resources = fields.required('resources', kinds.listOrNull)
  const hints = misspelt(modern, KNOWN_KEYS)
  if (fields.problems.length > 0) {
    throw new CommandError([...fields.problems, ...hints].join('; '))
  }
  const warnings = hints.slice(0, MOST_WARNINGS)
  let unnamed = 0
  const places = modern['resources'] === payload['resources'] ? IN_RESOURCES : IN_RESOURCE_EVENTS
  const events = eventsOf(resources ?? [], places, (sentence) => {
    if (warnings.length < MOST_WARNINGS) warnings.push(sentence)
    else unnamed++
  })
  if (unnamed > 0) warnings.push(`and ${unnamed} more`)
  return { report: { hash: reportHash(head), ...head, events }, warnings }
}

function readHead(fields: Fields): Omit<Report, 'hash' | 'events'> {
  return {
    certname: fields.required('certname', kinds.name),
    agentVersion: fields.required('puppet_version', kinds.text),
    reportFormat: fields.required('report_format', kinds.wholeNumber),
    configurationVersion: fields.required('configuration_version', kinds.text),
    startTime: fields.required('start_time', kinds.time),
    endTime: fields.required('end_time', kinds.time),
    producerTimestamp: fields.required('producer_timestamp', kinds.time),
    environment: fields.required('environment', kinds.text),
    producer: fields.optional('producer', kinds.textOrNull, null),
    status: fields.optional('status', kinds.textOrNull, null),
    type: fields.optional('type', kinds.reportTypeOrNull, null) ?? 'agent',
    noop: fields.optional('noop', kinds.flagOrNull, null),
    noopPending: fields.optional('noop_pending', kinds.flagOrNull, null),
    correctiveChange: fields.optional('corrective_change', kinds.flagOrNull, null),
    transactionUuid: fields.optional('transaction_uuid', kinds.textOrNull, null),
    catalogUuid: fields.optional('catalog_uuid', kinds.textOrNull, null),
    codeId: fields.optional('code_id', kinds.textOrNull, null),
    jobId: fields.optional('job_id', kinds.textOrNull, null),
    cachedCatalogStatus: fields.optional('cached_catalog_status', kinds.textOrNull, null),
    metrics: fields.optional('metrics', kinds.listOrNull, null),
    logs: fields.optional('logs', kinds.listOrNull, null),
  }
}
