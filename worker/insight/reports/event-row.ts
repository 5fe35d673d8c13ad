/** Reads the events of a report. */

import { sql, type SQL } from 'drizzle-orm'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'
import {
  flag,
  integer,
  nullable,
  select,
  text,
  timestamp,
  type Column,
  type RowOf,
} from '../../sql/columns.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { stringOf } from '../../outcomes/fragments.ts'

/** A property's value: JSON or, if it was too long to be stored, the beginning of its text. */
export function propertyValue(stored: string | null): Json {
  if (stored === null) return null
  try {
    return parseJson(stored)
  } catch {
    return `${stored} …`
  }
}

const value = (expression: SQL): Column<Json, SQL> => ({ expression, convert: propertyValue })

/** Containment paths are JSON; the empty text is none. */
const path = (expression: SQL): Column<readonly string[] | null, SQL> => ({
  expression,
  convert: (stored: string) => (stored === '' ? null : (JSON.parse(stored) as string[])),
})

/** The columns of an event `e` with its resource `s`, without its index. */
export const EVENT = {
  status: text(stringOf(sql`e.status`)),
  resource_type: text(sql`s.type`),
  resource_title: text(sql`s.title`),
  property: nullable(text(stringOf(sql`e.property`))),
  name: nullable(text(stringOf(sql`e.name`))),
  old_value: value(sql`e.old_value`),
  new_value: value(sql`e.new_value`),
  message: nullable(text(sql`e.message`)),
  file: nullable(text(stringOf(sql`e.file`))),
  line: nullable(integer(sql`e.line`)),
  containment_path: path(sql`s.path`),
  containing_class: nullable(text(sql`s.class`)),
  corrective_change: nullable(flag(sql`e.corrective_change`)),
  timestamp: timestamp(sql`e.timestamp`),
}

/** An event with its index, from 0, in the order sent. */
const NUMBERED_EVENT = { n: integer(sql`e.n`), ...EVENT }
export type EventRow = RowOf<typeof NUMBERED_EVENT>

/** The events of the report with that key, in the order sent. */
export const reportEvents = (key: SQL): TypedStatement<EventRow> =>
  select(
    NUMBERED_EVENT,
    sql`from events e cross join resources s on s.id = e.resource where e.report in (${key}) order by e.report, e.n`,
  )
