/** What is selected beside the columns of a row, because they can't be printed without it. */

import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SelectPlan } from '../plan/plan.ts'
import { events, reports } from '../schema/tables.ts'
import { hexOf, lowerHexOf, literal } from './encoding.ts'

/** A body up to this many bytes is read with its row; longer ones one by one. */
const LONGEST_BODY_IN_PAGE = 65_536

/**
 * Extras by name; in a row of a page (page.ts) they are called `extra.` and that name. Bodies are read through hex(), because D1 hands BLOBs out as lists of numbers; a
 * body that is left out for its length is null; one that retention has taken has no bytes.
 */
export const EXTRAS = {
  hash: lowerHexOf(reports.hash),
  events: sql`${reports.events}`,
  metricSet: sql`${reports.metricSet}`,
  body: sql`iif(length(${reports.body}) > ${literal(LONGEST_BODY_IN_PAGE)}, null, ${hexOf(reports.body)})`,
  long: sql`${events.long}`,
} as const
export type Extra = keyof typeof EXTRAS

const LONG_FIELDS: readonly SQLiteColumn[] = [events.oldValue, events.newValue, events.message]

/** What the columns of a plan need beside themselves. */
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
