/** Selects and reads the events to store from the resources of a report. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import {
  eventFields,
  type EventField,
  type EventFieldName,
  type EventValues,
} from '../schema/event-fields.ts'
import { excerpt, Fields, typeNameOf } from './fields.ts'
import { kinds } from './kinds.ts'
import { canonicalText, isRecord } from '../lib/lossless.ts'
import type { ReportEvent } from './report.ts'
import { withoutSensitive } from './sensitive.ts'
import { fieldReader } from './stored-field.ts'

/** The values that all events of a resource share, including its fields in event-fields.ts. */
interface Resource
  extends
    Partial<EventValues>,
    Pick<ReportEvent, 'resourceType' | 'resourceTitle' | 'containmentPath' | 'containingClass'> {
  readonly timestamp: number
}

/** Paths of resources and events in the payload, for messages. */
export interface Places {
  readonly resource: (index: number) => string
  readonly event: (index: number, position: number) => string
}

/** From version 6 on. */
export const IN_RESOURCES: Places = {
  resource: (index) => `resources[${index}]`,
  event: (index, position) => `resources[${index}].events[${position}]`,
}

/** Up to version 5: each event contains the keys of its resource. */
export const IN_RESOURCE_EVENTS: Places = {
  resource: (index) => `resource_events[${index}]`,
  event: (index) => `resource_events[${index}]`,
}

/**
 * The events of `resources` in the order sent; like PuppetDB, without duplicates. A skipped resource has exactly one
 * event, regardless of the events sent; an unchanged one has none. Leaves out resources and events that can't be read,
 * and calls `warn` with the reason.
 */
export function eventsOf(
  resources: readonly Json[],
  places: Places,
  warn: (sentence: string) => void,
): ReportEvent[] {
  const events = new Map<string, ReportEvent>()
  const keep = (event: ReportEvent) => {
    const identity = identityOf(event)
    if (!events.has(identity)) events.set(identity, event)
  }
  for (const [index, value] of resources.entries()) {
    if (!isRecord(value)) {
      warn(
        `${places.resource(index)}: ${typeNameOf(value)} is not an object, the resource is left out`,
      )
      continue
    }
    if (isUnchanged(value)) continue
    const fields = new Fields(value, (key) => `${places.resource(index)}.${key}`)
    const skipped = fields.optional('skipped', kinds.flagOrNull, false) ?? false
    const resource = readResource(fields)
    const sent = skipped ? [] : (fields.optional('events', kinds.listOrNull, null) ?? [])
    if (fields.problems.length > 0) {
      warn(`${fields.problems.join('; ')}, the resource is left out`)
      continue
    }
    if (skipped) keep(skippedEvent(resource))
    for (const [position, event] of sent.entries()) {
      const outcome = readEvent(event, resource, () => places.event(index, position))
      if (typeof outcome === 'string') warn(`${outcome}, the event is left out`)
      else keep(outcome)
    }
  }
  return withinNames([...events.values()], warn)
}

/**
 * Most characters of the different names in a report's events: resources, files, properties. Dictionaries keep them for
 * weeks. The largest catalogs, of about 20,000 resources, have half as many.
 */
const MOST_NAME_CHARACTERS = 8_000_000
/** Those of one event: path, title, file, type, property and name, each as long as it may be. */
const MOST_OF_EVENT = 28_000

/** The events without those whose names go beyond that. */
function withinNames(events: ReportEvent[], warn: (sentence: string) => void): ReportEvent[] {
  if (events.length * MOST_OF_EVENT <= MOST_NAME_CHARACTERS) return events
  const names = new Set<string>()
  let characters = 0
  return events.filter((event) => {
    const before = characters
    const added = namesOf(event).filter((name) => !names.has(name))
    for (const name of added) {
      names.add(name)
      characters += name.length
    }
    if (characters <= MOST_NAME_CHARACTERS) return true
    characters = before
    for (const name of added) names.delete(name)
    const resource = `${event.resourceType}[${event.resourceTitle}]`
    warn(
      `${excerpt(resource)}: the names in the report have more than ${MOST_NAME_CHARACTERS} characters, the event is left out`,
    )
    return false
  })
}

/** The event's entries of dictionaries. */
const namesOf = ({
  resourceType,
  resourceTitle,
  containmentPath,
  ...event
}: ReportEvent): string[] => [
  [resourceType, resourceTitle, ...(containmentPath ?? [])].join('\0'),
  ...[event.file, event.property, event.name].filter((name) => name !== null),
]

// With include_unchanged_resources a report has thousands of these; skipping them saves reading them.
function isUnchanged(resource: { readonly [key: string]: Json }): boolean {
  const { events, skipped } = resource
  return Array.isArray(events) && events.length === 0 && (skipped === false || skipped == null)
}

type Reader = readonly [EventFieldName, (fields: Fields) => unknown]
const readersOf = (sentWith: EventField['sentWith']): readonly Reader[] =>
  eventFields
    .filter(([, field]) => field.sentWith === sentWith)
    .map(([property, field]) => [property, fieldReader(field)] as const)
const OF_RESOURCE = readersOf('resource')
const OF_EVENT = readersOf('event')

/** The values of fields that are sent in one object. */
function valuesOf(fields: Fields, readers: readonly Reader[]): Partial<EventValues> {
  const values: Record<string, unknown> = {}
  for (const [property, read] of readers) values[property] = read(fields)
  return values
}

function readResource(fields: Fields): Resource {
  const containmentPath = fields.optional('containment_path', kinds.pathOrNull, null)
  const resource: Resource = {
    timestamp: fields.required('timestamp', kinds.time),
    resourceType: fields.required('resource_type', kinds.label),
    resourceTitle: fields.required('resource_title', kinds.title),
    containmentPath,
    containingClass: containingClass(containmentPath),
  }
  // Each event repeats this key for itself, so here it is only checked.
  fields.optional('corrective_change', kinds.flagOrNull, null)
  return Object.assign(resource, valuesOf(fields, OF_RESOURCE))
}

/** PuppetDB's rule: the last element of the path that is not empty and contains no `[`. */
function containingClass(path: readonly string[] | null | undefined): string | null {
  return path?.findLast((element) => element !== '' && !element.includes('[')) ?? null
}

/** The event of a skipped resource, which senders do not send. */
const NO_EVENT = Object.fromEntries(OF_EVENT.map(([property]) => [property, null]))

const skippedEvent = (resource: Resource): ReportEvent =>
  ({
    ...NO_EVENT,
    ...resource,
    status: 'skipped',
    oldValue: 'null',
    newValue: 'null',
    message: null,
    correctiveChange: false,
  }) as ReportEvent

/** The event, or what is wrong with it. */
function readEvent(value: Json, resource: Resource, place: () => string): ReportEvent | string {
  if (!isRecord(value)) return `${place()}: ${typeNameOf(value)} is not an object`
  const fields = new Fields(value, (key) => `${place()}.${key}`)
  const values = valuesOf(fields, OF_EVENT)
  const message = fields.optional('message', kinds.longTextOrNull, null)
  if (fields.problems.length > 0) return fields.problems.join('; ')
  try {
    const oldValue = canonicalText(withoutSensitive(value['old_value'] ?? null))
    const newValue = canonicalText(withoutSensitive(value['new_value'] ?? null))
    // V8 is far slower with a spread before further names.
    return Object.assign({ message, oldValue, newValue }, resource, values) as ReportEvent
  } catch (error) {
    if (error instanceof CommandError) return `${place()}: ${error.message}`
    throw error
  }
}

/** The properties by which PuppetDB distinguishes the events of a report; containment path and corrective change are not among them. */
function identityOf(event: ReportEvent): string {
  return JSON.stringify([
    event.resourceType,
    event.resourceTitle,
    event.property,
    event.timestamp,
    event.status,
    event.oldValue,
    event.newValue,
    event.message,
    event.name,
    event.file,
    event.line,
  ])
}
