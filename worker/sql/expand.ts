/** What belongs to reports and is answered inside their rows: their events, and bodies too long for a page. */

import { sql, type SQL } from 'drizzle-orm'
import { invariant } from '../lib/invariant.ts'
import { ENTITIES } from '../schema/entities.ts'
import { fieldOf } from '../schema/entity.ts'
import { eventFields } from '../schema/event-fields.ts'
import { bodyParts, events, longValues, reports, resources } from '../schema/tables.ts'
import { integer, nullable, select, text, type RowOf } from './columns.ts'
import { hexOf } from './encoding.ts'
import { constant, listRows } from './render.ts'
import type { CompiledSelect } from './select.ts'
import { keyPosition, orderClause } from './position.ts'
import type { TypedStatement } from './statement.ts'
import { outputOf } from './values.ts'

/** PuppetDB's order of the fields of an event inside its report. Fields that it doesn't know come last. */
const EVENT_ORDER = [
  'status',
  'timestamp',
  'resource_type',
  'resource_title',
  'property',
  'corrective_change',
  'new_value',
  'old_value',
  'message',
  'file',
  'line',
  'containment_path',
  'containing_class',
  'name',
]
const NAMES = new Set([...EVENT_ORDER, ...eventFields.map(([, { name }]) => name)])

const EVENTS = ENTITIES.get('events')!

const EVENT_COLUMNS = [...NAMES].map((name) => {
  const field = fieldOf(EVENTS, name)
  invariant(field, `events have the field ${name}`)
  return { name, ...outputOf(field) }
})
const EVENT_POSITION = keyPosition(EVENTS, 'asc')
const EVENTS_AND_RESOURCES = constant(
  sql`${events} join ${resources} on ${resources.id} = ${events.resource}`,
)

/** Events of some reports, as a select whose pages follow one another by report and number. */
export function compileEventsOf(reportKeys: SQL): CompiledSelect {
  return {
    columns: EVENT_COLUMNS,
    position: EVENT_POSITION,
    extras: ['long', 'size'],
    topN: null,
    limit: null,
    offset: 0,
    from: EVENTS_AND_RESOURCES,
    where: sql`${events.report} in ${reportKeys}`,
    groupBy: sql``,
    orderBy: orderClause(EVENT_POSITION),
    total: {
      count: sql`count(*)`,
      from: sql`from ${events} where ${events.report} in ${reportKeys}`,
    },
  }
}

/** A whole body of any length: its pieces in order, in hex. */
export const bodyStatement = (key: number): TypedStatement<{ readonly piece: string }> =>
  select(
    { piece: text(hexOf(sql`data`)) },
    sql`from (
    select ${reports.body} as data, 0 as part from ${reports} where ${reports.id} = ${key}
    union all
    select ${bodyParts.data}, ${bodyParts.part} from ${bodyParts} where ${bodyParts.report} = ${key}
  ) order by part`,
  )

const LONG_VALUE = {
  report: integer(sql`${longValues.report}`),
  n: integer(sql`${longValues.number}`),
  /** Name of the field that the value is of. */
  field: text(sql`${longValues.field}`),
  data: text(sql`${longValues.data}`),
}

/** Events by their keys: pairs of report and number. */
const among = (keys: readonly EventKey[]): SQL =>
  sql`(select value ->> 0 as report, value ->> 1 as n from json_each(${JSON.stringify(keys)})) as named`

export type EventKey = readonly [report: number, n: number]

/** The long values of all events of some reports, piece by piece. */
export const longValuesStatement = (
  reports: readonly number[],
): TypedStatement<RowOf<typeof LONG_VALUE>> =>
  select(
    LONG_VALUE,
    sql`from ${longValues} where ${longValues.report} in ${listRows(reports)}
    order by ${longValues.report}, ${longValues.number}, ${longValues.field}, ${longValues.part}`,
  )

/** The long values of some events, piece by piece. */
export const piecesStatement = (
  keys: readonly EventKey[],
): TypedStatement<RowOf<typeof LONG_VALUE>> =>
  select(
    LONG_VALUE,
    sql`from ${among(keys)} cross join ${longValues}
    on ${longValues.report} = named.report and ${longValues.number} = named.n
    order by ${longValues.report}, ${longValues.number}, ${longValues.field}, ${longValues.part}`,
  )

const VALUES_OF_EVENT = {
  report: integer(sql`${events.report}`),
  n: integer(sql`${events.number}`),
  old_value: nullable(text(sql`${events.oldValue}`)),
  new_value: nullable(text(sql`${events.newValue}`)),
  message: nullable(text(sql`${events.message}`)),
}

/** The values of some events that are in their rows. */
export const valuesStatement = (
  keys: readonly EventKey[],
): TypedStatement<RowOf<typeof VALUES_OF_EVENT>> =>
  select(
    VALUES_OF_EVENT,
    sql`from ${among(keys)} cross join ${events}
    on ${events.report} = named.report and ${events.number} = named.n`,
  )
