/** Payloads of `store report` for tests: whole and valid, so that a test only names what it is about. */

export type Payload = Record<string, unknown>

export const NOON = Date.parse('2026-03-02T12:00:00.000Z')

/** The time so many ms after noon, as the wire has it. */
export const at = (milliseconds: number): string => new Date(NOON + milliseconds).toISOString()

/** A report of version 8 of an unchanged run at noon. */
export const report = (parts: Payload & { certname: string }): Payload => ({
  puppet_version: '8.10.0',
  report_format: 12,
  configuration_version: '1772431200',
  start_time: at(-10_000),
  end_time: at(-500),
  producer_timestamp: at(0),
  environment: 'production',
  producer: 'puppet.example.com',
  status: 'unchanged',
  type: 'agent',
  noop: false,
  noop_pending: false,
  corrective_change: false,
  transaction_uuid: '68b08e2a-eeb1-4322-b241-bfdf151d294b',
  catalog_uuid: 'b45411c1-9b2f-4f5e-8e0a-0d7a4b1c2d3e',
  code_id: null,
  job_id: null,
  cached_catalog_status: 'not_used',
  metrics: [{ category: 'time', name: 'total', value: 9.5 }],
  logs: [],
  resources: [],
  ...parts,
})

export const event = (parts: Payload = {}): Payload => ({
  status: 'success',
  timestamp: at(-5000),
  property: 'ensure',
  name: 'created',
  old_value: 'absent',
  new_value: 'present',
  message: 'created',
  corrective_change: false,
  ...parts,
})

/** A resource with one event, if none are given. */
export const resource = (parts: Payload = {}): Payload => ({
  skipped: false,
  timestamp: at(-5000),
  resource_type: 'File',
  resource_title: '/etc/motd',
  file: '/code/manifests/motd.pp',
  line: 7,
  containment_path: ['Stage[main]', 'Motd', 'File[/etc/motd]'],
  corrective_change: false,
  events: [event()],
  ...parts,
})
