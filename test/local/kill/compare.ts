/** Whether a report is answered as it was sent: head, events, logs and metrics. */

import type { Payload } from '../../worker/reports.ts'
import type { Sent } from './reports.ts'

/** Fields of the head, which are answered as they were sent. */
const HEAD = [
  'certname',
  'status',
  'environment',
  'configuration_version',
  'start_time',
  'end_time',
  'producer_timestamp',
  'producer',
  'transaction_uuid',
  'catalog_uuid',
  'report_format',
  'noop',
  'noop_pending',
  'corrective_change',
  'cached_catalog_status',
]

const sorted = (rows: readonly Payload[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()

const some = (row: Payload, names: readonly string[]): Payload =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

/** A report as it was sent, in the terms of an answer. */
export function asSent({ payload }: Sent): unknown {
  const resources = payload['resources'] as Payload[]
  const events = resources.flatMap((one) =>
    (one['events'] as Payload[]).map((event) => ({
      ...event,
      ...some(one, ['resource_type', 'resource_title', 'file', 'line', 'containment_path']),
      containing_class: 'Motd',
    })),
  )
  return {
    head: some(payload, HEAD),
    events: sorted(events),
    logs: sorted(payload['logs'] as Payload[]),
    metrics: sorted(payload['metrics'] as Payload[]),
  }
}

/** The same of a row of `/reports`. */
export function asAnswered(row: Payload): unknown {
  const part = (name: string): Payload[] => (row[name] as { data: Payload[] | null }).data ?? []
  return {
    head: some(row, HEAD),
    events: sorted(part('resource_events')),
    logs: sorted(part('logs')),
    metrics: sorted(part('metrics')),
  }
}
