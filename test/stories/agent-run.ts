/** A run of an agent as its report, made of what the run did: for fleets with a story. */

import type { Payload } from '../worker/reports.ts'

export interface RunEvent {
  /** `Package[nginx]` */
  readonly resource: string
  readonly status?: 'success' | 'failure' | 'noop'
  readonly property?: string
  readonly from?: string
  readonly to?: string
  readonly message: string
  /** The class that contains the resource. */
  readonly in: string
  readonly corrective?: boolean
}

export interface AgentRun {
  readonly certname: string
  /** When the run ended, in ms. */
  readonly time: number
  readonly version: string
  readonly events?: readonly RunEvent[]
  /** Errors that the agent logged before it applied anything: it then has no catalog. */
  readonly errors?: readonly string[]
  readonly noop?: boolean
  readonly environment: string
  readonly producer: string
}

/** The report of a run, as `store report` takes it. */
export function reportOfRun(run: AgentRun): Payload & { readonly certname: string } {
  const {
    certname,
    time,
    version,
    environment,
    producer,
    events = [],
    errors = [],
    noop = false,
  } = run
  const stamp = new Date(time).toISOString()
  const has = (status: RunEvent['status']): boolean =>
    events.some((event) => (event.status ?? 'success') === status)
  return {
    certname,
    puppet_version: '8.10.0',
    report_format: 12,
    configuration_version: version,
    start_time: new Date(time - 20_000).toISOString(),
    end_time: stamp,
    producer_timestamp: stamp,
    environment,
    producer,
    status:
      errors.length > 0 || has('failure') ? 'failed' : has('success') ? 'changed' : 'unchanged',
    type: 'agent',
    noop,
    noop_pending: has('noop'),
    corrective_change: events.some(({ corrective }) => corrective === true),
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    job_id: null,
    cached_catalog_status: 'not_used',
    metrics: [{ category: 'time', name: 'total', value: 20 }],
    logs: [
      ...errors.map((message) => line('err', 'Puppet', message, stamp)),
      ...events.map((event) =>
        line(
          event.status === 'failure' ? 'err' : 'notice',
          `/Stage[main]/${event.in}/${event.resource}/${event.property ?? 'ensure'}`,
          event.message,
          stamp,
        ),
      ),
    ],
    resources: events.map((event) => resourceOf(event, stamp)),
  }
}

const line = (level: string, source: string, message: string, time: string): Payload => ({
  ...{ level, source, message, time },
  tags: [level],
  file: null,
  line: null,
})

/** `Profile::Base` → the path of its manifest. */
const manifestOf = (name: string): string =>
  `/etc/puppetlabs/code/environments/production/site/${name.toLowerCase().replace('::', '/manifests/').replaceAll('::', '/')}.pp`

function resourceOf(event: RunEvent, timestamp: string): Payload {
  const { resource, status = 'success', property = 'ensure', message, corrective = false } = event
  const [, type, title] = /^([\w:]+)\[(.*)\]$/s.exec(resource)!
  return {
    skipped: false,
    timestamp,
    resource_type: type,
    resource_title: title,
    file: manifestOf(event.in),
    line: 14,
    containment_path: ['Stage[main]', event.in, resource],
    corrective_change: corrective,
    events: [
      {
        ...{ status, timestamp, property, message },
        name: property,
        old_value: event.from ?? 'absent',
        new_value: event.to ?? 'present',
        corrective_change: corrective,
      },
    ],
  }
}
