/** All rows of a list for an export, from the cursor of the address on. */

import type { BatchRead } from '../store/batch-read.ts'
import { everyRow, type ListPage } from '../insight/list-pages.ts'
import type { View } from '../insight/view.ts'
import { resolveView, type Visit } from './visit.ts'

/**
 * @param defaultSpan the span where the address chooses none
 * @param ask the question of the page behind a cursor
 * @param row what is exported of an item; the whole of it unless said otherwise
 */
export async function* exportedRows<Item extends object>(
  visit: Visit,
  defaultSpan: string | null,
  ask: (view: View, cursor: string | null) => BatchRead<ListPage<Item>>,
  row: (item: Item) => object = (item) => item,
): AsyncGenerator<readonly string[]> {
  const { view } = await resolveView(visit, defaultSpan)
  const from = visit.url.searchParams.get('cursor') || null
  yield* everyRow(visit.database, (cursor) => ask(view, cursor), from, { row })
}
