/** The events of a report as PuppetDB derives them from its resources. */

import type { Json } from '../../../worker/lib/json.ts'
import type { Payload } from './report.ts'
import { canonical, instant, type Row } from './values.ts'

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
    // Two events that differ in these alone are one to PuppetDB.
    const { containment_path: _path, corrective_change: _change, ...identity } = event
    const key = canonical(identity)
    if (!kept.has(key)) kept.set(key, event)
  }
  return [...kept.values()]
}

/** What a skipped resource leaves, whatever events it carried. */
const SKIPPED: Part = { status: 'skipped', corrective_change: false }

function rowOf(resource: Part, event: Part, timestamp: Json): Row {
  const path = (resource['containment_path'] ?? null) as readonly string[] | null
  return {
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
