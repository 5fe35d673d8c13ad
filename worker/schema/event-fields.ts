/**
 * The fields of an event that have a column of their own, one a line. The `resources` table holds the resource of
 * an event. Old value, new value and message are not listed here, because they may be longer than a row. Each
 * line defines the payload's key, the type ReportEvent, the column, its insert, the query field, the answers, the
 * export, the column of the history, the integrity check of references, and the tests' evaluator. A new line needs
 * a migration that adds its column.
 */

import {
  boolean,
  wholeNumber,
  repeated,
  required,
  time,
  type HistoryField,
  type StoredField,
  type FieldValues,
} from './stored-field.ts'

export interface EventField extends StoredField, HistoryField {
  /** The object of the payload that has the key: a resource, or each of its events. */
  readonly sentWith: 'resource' | 'event'
  /** A type that a JSON list can carry to the insert. */
  readonly stored: Exclude<StoredField['stored'], { readonly form: 'uuid' | 'key' }>
}

const ofResource = <Field extends StoredField & HistoryField>(field: Field) => ({
  ...field,
  sentWith: 'resource' as const,
})
const ofEvent = <Field extends StoredField & HistoryField>(field: Field) => ({
  ...field,
  sentWith: 'event' as const,
})

/** By the property name in ReportEvent. A skipped resource has no event, so all fields of events but the status are nullable. */
export const EVENT_FIELDS = {
  status: ofEvent({ ...required(repeated('status', 'eventStatus')), inHistory: 8 }),
  timestamp: ofEvent({ ...required(time('timestamp')), inHistory: 9 }),
  property: ofEvent({ ...repeated('property', 'property'), inHistory: 10 }),
  name: ofEvent({ ...repeated('name', 'eventName'), inHistory: 11 }),
  correctiveChange: ofEvent({ ...boolean('corrective_change'), inHistory: 15 }),
  file: ofResource({ ...repeated('file', 'file'), inHistory: 16 }),
  line: ofResource({ ...wholeNumber('line'), inHistory: 17 }),
} satisfies Readonly<Record<string, Omit<EventField, 'stored'>>>

/** The values of an event's own fields. */
export type EventValues = FieldValues<typeof EVENT_FIELDS>
export type EventFieldName = keyof EventValues

/** The fields, each with its property name in ReportEvent. */
export const eventFields = Object.entries(EVENT_FIELDS) as readonly (readonly [
  EventFieldName,
  EventField,
])[]
