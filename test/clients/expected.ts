/** What the service must answer about a run, worked out from the agent's own record of it. */

import type { Row } from './query.ts'
import type { RecordedEvent, RecordedResource, RecordedRun } from './record.ts'

/** The columns of the report that the record speaks of. */
export function expectedReport(run: RecordedRun): Row {
  return {
    certname: run.host,
    status: run.status,
    transaction_uuid: run.transaction_uuid,
    catalog_uuid: run.catalog_uuid ?? null,
    configuration_version: String(run.configuration_version ?? ''),
    puppet_version: run.puppet_version,
    report_format: run.report_format,
    environment: run.environment,
    start_time: utc(run.time),
    end_time: endTime(run),
    noop: run.noop,
    noop_pending: run.noop_pending,
    corrective_change: run.corrective_change,
    cached_catalog_status: run.cached_catalog_status,
    code_id: null,
    job_id: null,
    producer: run.host,
    type: 'agent',
  }
}

/**
 * The events: one for each that was recorded, and one for each resource that was skipped.
 *
 * @param byTerminus a terminus that runs in the agent's own process has the values themselves; whatever is written down or
 *   sent first has those that are bytes in base64, as PuppetDB gets them from a server too
 */
export function expectedEvents(run: RecordedRun, hash: string, byTerminus: boolean): Row[] {
  const textOf = byTerminus ? (value: unknown) => decodeChecksum(asRubyText(value)) : asRubyText
  return Object.values(run.resource_statuses).flatMap((resource) => {
    const shared = {
      certname: run.host,
      report: hash,
      configuration_version: String(run.configuration_version ?? ''),
      run_start_time: utc(run.time),
      run_end_time: endTime(run),
      environment: run.environment,
      resource_type: resource.resource_type,
      resource_title: resource.title,
      file: resource.file,
      line: resource.line,
      containment_path: resource.containment_path,
      containing_class: containingClass(resource.containment_path),
    }
    return resource.skipped
      ? [{ ...shared, ...skippedEvent(resource) }]
      : resource.events.map((event) => ({ ...shared, ...happenedEvent(event, textOf) }))
  })
}

const happenedEvent = (event: RecordedEvent, textOf: (value: unknown) => string): Row => ({
  status: event.status,
  timestamp: utc(event.time),
  property: event.property,
  name: event.name,
  old_value: textOf(event.previous_value),
  new_value: textOf(event.desired_value),
  message: event.message,
  corrective_change: event.corrective_change,
})

const skippedEvent = (resource: RecordedResource): Row => ({
  status: 'skipped',
  timestamp: utc(resource.time),
  property: null,
  name: null,
  old_value: null,
  new_value: null,
  message: null,
  corrective_change: false,
})

/** The metrics, categories in the order of the record, each one's values by their labels. */
export const expectedMetrics = (run: RecordedRun): Row[] =>
  Object.values(run.metrics).flatMap(({ name: category, values }) =>
    values
      .toSorted(([, left], [, right]) => (left < right ? -1 : 1))
      .map(([name, , value]) => ({ category, name, value })),
  )

/** The log lines in the order of the record, times with the agent's own zone. */
export const expectedLogs = (run: RecordedRun): Row[] =>
  run.logs.map(({ level, message, source, tags, time, file, line }) => ({
    ...{ level, message, source, tags, file, line },
    time: toMilliseconds(time),
  }))

/** The record has nanoseconds; the terminus cuts them off after three digits. */
const toMilliseconds = (time: string): string => time.replace(/(\.\d{3})\d*/, '$1')

const utc = (time: string): string => new Date(toMilliseconds(time)).toISOString()

/** The terminus adds the total of the time metrics to the start before it cuts. */
function endTime({ time, metrics }: RecordedRun): string {
  const seconds = metrics['time']?.values.find(([name]) => name === 'total')?.[2] ?? 0
  const nanoseconds = Number(/\.\d{3}(\d{6})/.exec(time)?.[1] ?? 0) + seconds * 1e9
  return new Date(Date.parse(toMilliseconds(time)) + Math.floor(nanoseconds / 1e6)).toISOString()
}

/** The terminus sends values as Ruby prints them. */
function asRubyText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
  return value === null ? '' : String(value)
}

/** A checksum that Puppet holds as bytes stands in the record in base64, and is sent as it is. */
const decodeChecksum = (text: string): string =>
  text.startsWith(ENCODED_SHA256) ? Buffer.from(text, 'base64').toString() : text

/** How base64 of `{sha256}…` begins. */
const ENCODED_SHA256 = 'e3NoYTI1Nn'

const containingClass = (path: readonly string[]): string | null =>
  path.findLast((part) => part !== '' && !part.includes('[')) ?? null
