/** The resources of a report → the events that are kept. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { excerpt, Fields } from './fields.ts'
import { kinds } from './kinds.ts'
import { canonicalText, isRecord } from '../lib/lossless.ts'
import type { ReportEvent } from './report.ts'
import { withoutSensitive } from './sensitive.ts'

type Resource = Omit<
  ReportEvent,
  'status' | 'property' | 'name' | 'oldValue' | 'newValue' | 'message'
>

/** Where resources and events stand in the payload, for messages. */
export interface Places {
  readonly resource: (index: number) => string
  readonly event: (index: number, position: number) => string
}

/** Since version 6. */
export const IN_RESOURCES: Places = {
  resource: (index) => `resources[${index}]`,
  event: (index, position) => `resources[${index}].events[${position}]`,
}

/** Up to version 5: each event with its resource's keys. */
export const IN_RESOURCE_EVENTS: Places = {
  resource: (index) => `resource_events[${index}]`,
  event: (index) => `resource_events[${index}]`,
}

/**
 * The events of `resources` in the order sent; equal ones are kept once, as PuppetDB does. A skipped resource gives exactly
 * one event, whatever events it carried; an unchanged one gives none. A resource or event that can't be read is left out
 * and `warn` is told why.
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
        `${places.resource(index)}: ${excerpt(value)} is not an object, the resource is left out`,
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
  return [...events.values()]
}

// With include_unchanged_resources a report has thousands of these; they need no reading.
function isUnchanged(resource: { readonly [key: string]: Json }): boolean {
  const { events, skipped } = resource
  return Array.isArray(events) && events.length === 0 && (skipped === false || skipped == null)
}

function readResource(fields: Fields): Resource {
  const containmentPath = fields.optional('containment_path', kinds.textsOrNull, null)
  return {
    timestamp: fields.required('timestamp', kinds.time),
    resourceType: fields.required('resource_type', kinds.text),
    resourceTitle: fields.required('resource_title', kinds.text),
    file: fields.optional('file', kinds.textOrNull, null),
    line: fields.optional('line', kinds.wholeNumberOrNull, null),
    containmentPath,
    containingClass: containingClass(containmentPath),
    correctiveChange: fields.optional('corrective_change', kinds.flagOrNull, null),
  }
}

/** PuppetDB's rule: the last element of the path that is not empty and has no `[`. */
function containingClass(path: readonly string[] | null | undefined): string | null {
  return path?.findLast((element) => element !== '' && !element.includes('[')) ?? null
}

function skippedEvent(resource: Resource): ReportEvent {
  return {
    ...resource,
    status: 'skipped',
    property: null,
    name: null,
    oldValue: 'null',
    newValue: 'null',
    message: null,
    correctiveChange: false,
  }
}

/** The event, or what is wrong with it. */
function readEvent(value: Json, resource: Resource, place: () => string): ReportEvent | string {
  if (!isRecord(value)) return `${place()}: ${excerpt(value)} is not an object`
  const fields = new Fields(value, (key) => `${place()}.${key}`)
  const event = {
    ...resource,
    status: fields.required('status', kinds.text),
    timestamp: fields.required('timestamp', kinds.time),
    property: fields.optional('property', kinds.textOrNull, null),
    name: fields.optional('name', kinds.textOrNull, null),
    message: fields.optional('message', kinds.longTextOrNull, null),
    correctiveChange: fields.optional('corrective_change', kinds.flagOrNull, null),
  }
  if (fields.problems.length > 0) return fields.problems.join('; ')
  try {
    const oldValue = canonicalText(withoutSensitive(value['old_value'] ?? null))
    const newValue = canonicalText(withoutSensitive(value['new_value'] ?? null))
    return { ...event, oldValue, newValue }
  } catch (error) {
    if (error instanceof CommandError) return `${place()}: ${error.message}`
    throw error
  }
}

/** What PuppetDB tells events of one report apart by; containment path and corrective change don't count. */
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
