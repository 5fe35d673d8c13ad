/** Decodes the payload of `store report`, in any wire format, into a Report. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isRecord, isList } from '../lib/lossless.ts'
import { reportFields, type ReportValues } from '../schema/report-fields.ts'
import { sentKey } from '../schema/stored-field.ts'
import { eventsOf, IN_RESOURCE_EVENTS, IN_RESOURCES } from './events.ts'
import { excerpt, Fields, misspelt } from './fields.ts'
import { reportHash } from './hash.ts'
import { kinds } from './kinds.ts'
import type { Report } from './report.ts'
import { withoutSensitive } from './sensitive.ts'
import { slowestOf, SLOWEST_KEY } from './slowest.ts'
import { fieldReader } from './stored-field.ts'

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
function modernised(payload: Payload, version: number, received: number): Payload {
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

/** A report, and how many of its resources and events were left out; its warnings say why. */
export interface Decoded {
  readonly report: Report
  readonly leftOut: number
}

const MOST_WARNINGS = 10

const KNOWN_KEYS: readonly string[] = [
  'certname',
  'logs',
  'metrics',
  'resources',
  SLOWEST_KEY,
  ...reportFields.map(([, field]) => sentKey(field)),
].sort()

/**
 * Reads the payload of `store report`, wire formats 3 to 8; `received` is ms since 1970, UTC. Like PuppetDB, accepts a
 * payload posted under a wrong version. Unlike PuppetDB, allows nullable keys to be missing, ignores unknown keys, and
 * leaves out a bad event instead of refusing the report.
 * Throws CommandError naming each path and value if the report as a whole is invalid.
 */
export function decodeReport(payload: Json, version: number, received: number): Decoded {
  if (!isRecord(payload)) {
    throw new CommandError(`The payload must be a JSON object, not ${excerpt(payload)}.`)
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
  let leftOut = 0
  const places = modern['resources'] === payload['resources'] ? IN_RESOURCES : IN_RESOURCE_EVENTS
  const events = eventsOf(resources ?? [], places, (sentence) => {
    leftOut++
    if (warnings.length < MOST_WARNINGS) warnings.push(sentence)
  })
  const unnamed = hints.length + leftOut - warnings.length
  if (unnamed > 0) warnings.push(`and ${unnamed} more`)
  const slowest = slowestOf(modern[SLOWEST_KEY])
  return { report: { hash: reportHash(head), ...head, events, slowest, warnings }, leftOut }
}

function readHead(fields: Fields): Omit<Report, 'hash' | 'events' | 'slowest' | 'warnings'> {
  const certname = fields.required('certname', kinds.certname)
  const values = READERS.map(([property, read]) => [property, read(fields)] as const)
  return {
    certname,
    ...(Object.fromEntries(values) as ReportValues),
    metrics: withoutSensitiveItems(fields.optional('metrics', kinds.listOrNull, null)),
    logs: withoutSensitiveItems(fields.optional('logs', kinds.listOrNull, null)),
  }
}

const withoutSensitiveItems = (list: readonly Json[] | null): readonly Json[] | null =>
  list?.map((item) => withoutSensitive(item)) ?? null

/** Reads each field of a report from its payload. */
const READERS = reportFields.map(([property, field]) => [property, fieldReader(field)] as const)
