/** Converts the older wire formats of a report to version 8. */

import type { Json } from '../lib/json.ts'
import { isList, isRecord } from '../lib/lossless.ts'

type Payload = { readonly [key: string]: Json }

interface Change {
  /** The newest version that needs this change. */
  readonly upTo: number
  readonly apply: (payload: Payload, received: number) => Payload
}

/**
 * Oldest first. A change only adds missing keys, so a payload posted under the wrong version loses nothing. Other keys
 * that older formats lack (status, noop, metrics, logs, producer, …) are optional in every version.
 */
const CHANGES: readonly Change[] = [
  { upTo: 4, apply: underscoreKeys },
  {
    upTo: 4,
    apply: (payload, received) => ({
      producer_timestamp: new Date(received).toISOString(),
      ...payload,
    }),
  },
  { upTo: 8, apply: resourcesOfEvents },
  // For these versions PuppetDB answers the transaction's id as the catalog's.
  {
    upTo: 6,
    apply: (payload) => ({ catalog_uuid: payload['transaction_uuid'] ?? null, ...payload }),
  },
  {
    upTo: 8,
    apply: ({ agent_version, ...payload }) =>
      agent_version === undefined ? payload : { puppet_version: agent_version, ...payload },
  },
]

/** Converts a payload of wire format `version` to version 8. `received` is ms since 1970, UTC. */
export function modernised(payload: Payload, version: number, received: number): Payload {
  return CHANGES.filter(({ upTo }) => version <= upTo).reduce(
    (changed, { apply }) => apply(changed, received),
    payload,
  )
}

/** `resource-events` → `resource_events`, in the payload and in the events. */
function underscoreKeys(payload: Payload): Payload {
  const underscored = (record: Payload) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key.replaceAll('-', '_'), value]),
    )
  const changed = underscored(payload)
  const events = changed['resource_events']
  return events !== undefined && isList(events)
    ? {
        ...changed,
        resource_events: events.map((event) => (isRecord(event) ? underscored(event) : event)),
      }
    : changed
}

/** Up to version 5 an event contained its resource. Grouping them again would not change what is stored. */
function resourcesOfEvents(payload: Payload): Payload {
  const { resource_events: events, ...rest } = payload
  if (events === undefined || rest['resources'] !== undefined) return payload
  if (!isList(events)) return { ...rest, resources: events }
  const resources = events.map((event) =>
    isRecord(event) ? { ...event, skipped: event['status'] === 'skipped', events: [event] } : event,
  )
  return { ...rest, resources }
}
