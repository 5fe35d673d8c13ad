/**
 * The fields of an event that its own row holds in a column each, a line each. What it is about stands in
 * `resources`; its old and new value and its message are by hand, as they may be longer than a row. From a
 * line are derived: the key of the payload, the type ReportEvent, the column, its insert, what a query may
 * say, the answers, the export, the check that what it refers to exists, and what the tests' evaluator
 * knows. A new line needs a migration that adds its column.
 */

import {
  boolean,
  wholeNumber,
  repeated,
  required,
  time,
  type StoredField,
  type FieldValues,
} from './stored-field.ts'

export interface EventField extends StoredField {
  /** Which object of the payload has its key: a resource, or each of its events. */
  readonly sentWith: 'resource' | 'event'
  /** What a JSON list can carry to its insert. */
  readonly stored: Exclude<StoredField['stored'], { readonly form: 'uuid' | 'key' }>
}

const ofResource = <Field extends StoredField>(field: Field) => ({
  ...field,
  sentWith: 'resource' as const,
})
const ofEvent = <Field extends StoredField>(field: Field) => ({
  ...field,
  sentWith: 'event' as const,
})

/** By the name that the value has in a ReportEvent. A skipped resource has no event, so those of events but for its status are nullable. */
export const EVENT_FIELDS = {
  status: ofEvent(required(repeated('status', 'eventStatus'))),
  timestamp: ofEvent(required(time('timestamp'))),
  property: ofEvent(repeated('property', 'property')),
  name: ofEvent(repeated('name', 'eventName')),
  correctiveChange: ofEvent(boolean('corrective_change')),
  file: ofResource(repeated('file', 'file')),
  line: ofResource(wholeNumber('line')),
}

/** The values of an event's own fields. */
export type EventValues = FieldValues<typeof EVENT_FIELDS>
export type EventFieldName = keyof EventValues

/** The fields with the names that their values have in a ReportEvent. */
export const eventFields = Object.entries(EVENT_FIELDS) as readonly (readonly [
  EventFieldName,
  EventField,
])[]
