/** The events of a report as PuppetDB derives them from its resources. */

import type { Json } from '../../../worker/lib/json.ts'
import type { Payload } from './report.ts'
import { FIELDS } from './schema.ts'
import { eventFields } from '../../../worker/schema/event-fields.ts'
import { sentKey } from '../../../worker/schema/stored-field.ts'
import { canonical, instant, shown, type Row } from './values.ts'

type Part = Readonly<Record<string, Json>>

/** Rows with the keys of `resource_events`; equal ones are kept once. */
export function eventsOf(payload: Payload): readonly Row[] {
  const resources = (payload['resources'] ?? []) as readonly Part[]
  const events = resources.flatMap((resource) =>
    resource['skipped'] === true
      ? [rowOf(resource, SKIPPED, resource['timestamp']!)]
      : ((resource['events'] ?? []) as readonly Part[]).map((event) =>
          rowOf(resource, event, event['timestamp']!),
        ),
  )
  const kept = new Map<string, Row>()
  for (const event of events) {
    const key = canonical(IDENTITY.map((name) => event[name] ?? null))
    if (!kept.has(key)) kept.set(key, event)
  }
  return [...kept.values()]
}

/** Two events that differ in anything else alone are one to PuppetDB. */
const IDENTITY = [
  'resource_type',
  'resource_title',
  'property',
  'timestamp',
  'status',
  'old_value',
  'new_value',
  'message',
  'name',
  'file',
  'line',
]

/** What a skipped resource leaves, whatever events it carried. */
const SKIPPED: Part = { status: 'skipped', corrective_change: false }

function rowOf(resource: Part, event: Part, timestamp: Json): Row {
  const path = (resource['containment_path'] ?? null) as readonly string[] | null
  return {
    ...othersOf(resource, event),
    status: event['status']!,
    timestamp: new Date(instant(timestamp)!).toISOString(),
    resource_type: resource['resource_type']!,
    resource_title: resource['resource_title']!,
    file: resource['file'] ?? null,
    line: resource['line'] ?? null,
    property: event['property'] ?? null,
    name: event['name'] ?? null,
    new_value: event['new_value'] ?? null,
    old_value: event['old_value'] ?? null,
    message: event['message'] ?? null,
    corrective_change: event['corrective_change'] ?? null,
    containment_path: path,
    // The deepest class: the last element that is no resource, whose names have brackets.
    containing_class: path?.findLast((one) => one !== '' && !one.includes('[')) ?? null,
  }
}

/** The values of all fields in event-fields.ts, of which PuppetDB's own are told above. */
const othersOf = (resource: Part, event: Part): Row =>
  Object.fromEntries(
    eventFields.map(([, field]) => {
      const part = field.sentWith === 'resource' ? resource : event
      return [field.name, shown(FIELDS.events[field.name]!, part[sentKey(field)])]
    }),
  )
