/** Reads all rows of a list for an export, starting at the cursor in the address. */

import type { BatchRead } from '../store/batch-read.ts'
import { everyRow, type ListPage, type WholeList } from '../insight/list-pages.ts'
import type { View } from '../insight/view.ts'
import { resolveView, type Visit } from './visit.ts'
import { filled } from './address.ts'

/**
 * @param ask the read of the page behind a cursor
 * @param row the exported form of an item; by default the item itself
 */
export async function* exportedRows<Item extends object>(
  visit: Visit,
  ask: (view: View, cursor: string | null) => BatchRead<WholeList<Item> | ListPage<Item>>,
  row: (item: Item) => object = (item) => item,
  defaultSpan?: string,
): AsyncGenerator<readonly string[]> {
  const { view } = await resolveView(visit, defaultSpan)
  const from = filled(visit.url.searchParams, 'cursor')
  yield* everyRow(visit.database, (cursor) => ask(view, cursor), from, { row })
}
