/** What is selected in addition to the columns of a row, because printing them needs it. */

import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SelectPlan } from '../plan/plan.ts'
import { events, reports } from '../schema/tables.ts'
import { hexOf, lowerHexOf, literal } from './encoding.ts'
import { constant } from './render.ts'

/** A body of at most this many bytes is read with its row; longer ones are read one by one. */
const LONGEST_BODY_IN_PAGE = 65_536

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
} as const
export type Extra = keyof typeof EXTRAS

const LONG_FIELDS: readonly SQLiteColumn[] = [events.oldValue, events.newValue, events.message]

/** The extras that the columns of a plan need. */
export function extrasOf({ columns }: SelectPlan): Extra[] {
  const storages = columns.flatMap((column) =>
    column.kind === 'field' ? [column.field.storage] : [],
  )
  const parts = storages.flatMap((storage) => (storage.form === 'expanded' ? [storage.part] : []))
  const packed = parts.some((part) => part !== 'resource_events')
  const long = storages.some(
    (storage) => 'column' in storage && LONG_FIELDS.includes(storage.column),
  )
  return [
    ...(parts.length > 0 ? (['hash', 'events'] as const) : []),
    ...(packed ? (['metricSet', 'body'] as const) : []),
    ...(long ? (['long'] as const) : []),
  ]
}
