/** What is selected in addition to the columns of a row, because printing them needs it. */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SelectPlan } from '../plan/plan.ts'
import { events, longValues, reports } from '../schema/tables.ts'
import { hexOf, lowerHexOf, literal } from './encoding.ts'
import { constant } from './render.ts'

/** A body of at most this many bytes is read with its row; longer ones are read one by one. */
const LONGEST_BODY_IN_PAGE = 65_536

/** The columns of events whose values may be long, by the names of their fields. */
const LONG_FIELDS = {
  old_value: events.oldValue,
  new_value: events.newValue,
  message: events.message,
} as const
const LONG_COLUMNS: readonly SQLiteColumn[] = Object.values(LONG_FIELDS)

/** Characters of a value that is read with its row. Pages hold many rows, whose longer values are read some at a time. */
const LONGEST_IN_PAGE = 1000

/** What a page selects for a field whose values may be long: null where the value is. */
export const SHORT_VALUES: ReadonlyMap<string, SQL> = new Map(
  Object.entries(LONG_FIELDS).map(([name, column]) => [
    name,
    constant(sql`iif(length(${column}) > ${literal(LONGEST_IN_PAGE)}, null, ${column})`),
  ]),
)

const anyIsLong = sql.join(
  LONG_COLUMNS.map((column) => sql`length(${column}) > ${literal(LONGEST_IN_PAGE)}`),
  sql` or `,
)
const characters = sql.join(
  LONG_COLUMNS.map((column) => sql`coalesce(length(${column}), 0)`),
  sql` + `,
)
const charactersApart = sql`(select sum(length(${longValues.data})) from ${longValues}
  where ${longValues.report} = ${events.report} and ${longValues.number} = ${events.number})`

/**
 * Extras by name; in a row of a page (page.ts) they are called `extra.` and that name.
 *
 * Bodies are read through hex(), because D1 returns BLOBs as lists of numbers. The body is null where it
 * is too long for the page, and has no bytes where retention has deleted it.
 */
export const EXTRAS = {
  hash: constant(lowerHexOf(reports.hash)),
  events: constant(sql`${reports.events}`),
  metricSet: constant(sql`${reports.metricSet}`),
  body: constant(
    sql`iif(length(${reports.body}) > ${literal(LONGEST_BODY_IN_PAGE)}, null, ${hexOf(reports.body)})`,
  ),
  long: constant(sql`${events.long}`),
  size: constant(
    sql`case when ${events.long} = 1 then ${characters} + ${charactersApart} when ${anyIsLong} then ${characters} else 0 end`,
  ),
} as const
export type Extra = keyof typeof EXTRAS

/** The extras that the columns of a plan need. */
export function extrasOf({ columns }: SelectPlan): Extra[] {
  const storages = columns.flatMap((column) =>
    column.kind === 'field' ? [column.field.storage] : [],
  )
  const parts = storages.flatMap((storage) => (storage.form === 'expanded' ? [storage.part] : []))
  const packed = parts.some((part) => part !== 'resource_events')
  const long = storages.some(
    (storage) => 'column' in storage && LONG_COLUMNS.includes(storage.column),
  )
  return [
    ...(parts.length > 0 ? (['hash', 'events'] as const) : []),
    ...(packed ? (['metricSet', 'body'] as const) : []),
    ...(long ? (['long', 'size'] as const) : []),
  ]
}
