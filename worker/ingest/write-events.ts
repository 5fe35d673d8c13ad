/** The statements that store a report's events. A list of events is one parameter, regardless of its length. */

import type { Report, ReportEvent } from '../report/report.ts'
import { eventFields } from '../schema/event-fields.ts'
import type { Statement } from '../sql/statement.ts'
import { unlessStored } from '../store/identity.ts'
import { inLists } from '../store/lists.ts'
import { pathText } from './new-entries.ts'
import { freeKey, keyParameters } from './report-key.ts'
import { storedBy, storedValue } from './stored-field.ts'

/** Longest value in the event's own row, in characters; `long_values` holds a longer one whole. */
const LONGEST_IN_ROW = 100_000
/** Characters of one piece of a long value: at most three bytes each. */
const PIECE = 300_000

/** Number of values in an `eventRow` before the values of fields. */
const BEFORE_FIELDS = 8

/** The columns of an event's fields; their values in `e.value` follow the first BEFORE_FIELDS in this order. */
const FIELDS = eventFields.map(([property, field], index) => ({
  property,
  field,
  sql: storedBy(field, `e.value ->> ${BEFORE_FIELDS + index}`),
}))

/** ?1 identity, ?2 millisecond of the key, ?3 the events. */
const INSERT_EVENTS = `insert into events
  (report, n, resource, old_value, new_value, message, long, ${FIELDS.map(({ field }) => field.name).join(', ')})
select key.id, e.value ->> 0,
  (select id from resources where type = e.value ->> 1 and title = e.value ->> 2 and path = e.value ->> 3),
  e.value ->> 4, e.value ->> 5, e.value ->> 6, e.value ->> 7, ${FIELDS.map((column) => column.sql).join(', ')}
from (select ${freeKey('?2')} as id) key, json_each(?3) e where ${unlessStored('?1')}`

/** ?1 identity, ?2 millisecond of the key, ?3 the pieces. */
const INSERT_LONG_VALUES = `insert into long_values (report, n, field, part, data)
select key.id, v.value ->> 0, v.value ->> 1, v.value ->> 2, v.value ->> 3
from (select ${freeKey('?2')} as id) key, json_each(?3) v where ${unlessStored('?1')}`

/** Statements for all events of the report. They run before the insert of the report itself, and compute its key. */
export function eventStatements(report: Report): Statement[] {
  if (report.events.length === 0) return []
  const head = keyParameters(report)
  const long = report.events.flatMap(longPieces)
  return [
    ...inLists(report.events.map(eventRow)).map((list) => ({
      sql: INSERT_EVENTS,
      params: [...head, list],
    })),
    ...inLists(long).map((list) => ({ sql: INSERT_LONG_VALUES, params: [...head, list] })),
  ]
}

const isLong = (text: string | null): text is string =>
  text !== null && text.length > LONGEST_IN_ROW
const inRow = (text: string | null): string | null =>
  isLong(text) ? text.slice(0, LONGEST_IN_ROW) : text

/** The values of an event that may be long, by column; JSON's null is stored as NULL. */
const valuesOf = (event: ReportEvent) => ({
  old_value: event.oldValue === 'null' ? null : event.oldValue,
  new_value: event.newValue === 'null' ? null : event.newValue,
  message: event.message,
})

function eventRow(event: ReportEvent, n: number): unknown[] {
  const values = valuesOf(event)
  return [
    n,
    event.resourceType,
    event.resourceTitle,
    pathText(event.containmentPath),
    inRow(values.old_value),
    inRow(values.new_value),
    inRow(values.message),
    Object.values(values).some(isLong) ? 1 : null,
    ...FIELDS.map(({ property, field }) => storedValue(field, event[property])),
  ]
}

/** Rows of `long_values`: [n, field, part, piece]. */
function longPieces(event: ReportEvent, n: number): unknown[] {
  return Object.entries(valuesOf(event)).flatMap(([field, text]) =>
    isLong(text) ? piecesOf(text).map((piece, part) => [n, field, part, piece]) : [],
  )
}

/** Cuts the text into pieces, never between the halves of a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    const end = Math.min(text.length, from + PIECE)
    const split = end < text.length && isHighSurrogate(text.charCodeAt(end - 1))
    pieces.push(text.slice(from, split ? end + 1 : end))
    from = split ? end + 1 : end
  }
  return pieces
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
