/** Reads the events of reports for the history. */

import { eventFields } from '../schema/event-fields.ts'
import { flag, integer, nullable, selectText, text, typed, type Column } from '../sql/columns.ts'
import type { Database } from '../store/database.ts'
import { longValuesStatement } from '../sql/expand.ts'

type EventValue = string | number | boolean | null
/** An event: columns of `events` by name, with `containment_path` as JSON text, or `` for none. */
export type StoredEvent = Readonly<Record<string, EventValue>>

const FIELDS = Object.fromEntries(
  eventFields.map(([, { name, kind, stored }]) => {
    const column = `e.${name}`
    const expression =
      stored.form === 'reference'
        ? `(select s.value from strings s where s.id = ${column})`
        : column
    return [name, kind === 'boolean' ? nullable(flag(expression)) : text(expression)]
  }),
) as Readonly<Record<string, Column<EventValue, string>>>
const EVENT = {
  key: integer('e.report'),
  number: integer('e.n'),
  long: nullable(integer('e.long')),
  ...FIELDS,
  old_value: nullable(text('e.old_value')),
  new_value: nullable(text('e.new_value')),
  message: nullable(text('e.message')),
  resource_type: text('x.type'),
  resource_title: text('x.title'),
  containing_class: nullable(text('x.class')),
  containment_path: text('x.path'),
}
/** ?1 list of keys. */
const READ_EVENTS = `select ${selectText(EVENT)} from json_each(?1) listed cross join events e on e.report = listed.value
cross join resources x on x.id = e.resource order by e.report, e.n`

/** The events of each report, by its key, in their order. */
export async function readEvents(
  database: Database,
  keys: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredEvent[]>> {
  const byReport = new Map<number, StoredEvent[]>()
  if (keys.length === 0) return byReport
  const [events] = await database.batch([
    typed(EVENT, { sql: READ_EVENTS, params: [JSON.stringify(keys)] }),
  ])
  const withLong = [...new Set(events.filter(({ long }) => long === 1).map(({ key }) => key))]
  const long = await readLongValues(database, withLong)
  for (const { key, long: isLong, ...values } of events) {
    let list = byReport.get(key)
    if (list === undefined) byReport.set(key, (list = []))
    const whole = isLong === 1 ? long.get(`${key} ${values.number}`) : undefined
    list.push({ ...values, ...whole })
  }
  return byReport
}

/** Values that are longer than a row may be, by report and number of the event. */
async function readLongValues(
  database: Database,
  keys: readonly number[],
): Promise<ReadonlyMap<string, Record<string, string>>> {
  const values = new Map<string, Record<string, string>>()
  if (keys.length === 0) return values
  const [pieces] = await database.batch([longValuesStatement(keys)])
  for (const { report, n, field, data } of pieces) {
    const name = `${report} ${n}`
    const fields = values.get(name) ?? {}
    fields[field] = (fields[field] ?? '') + data
    values.set(name, fields)
  }
  return values
}
