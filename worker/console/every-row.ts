/** All rows of a list for an export: page by page as they are read, from the cursor of the address on. */

import { answered, type Asked } from '../insight/asked.ts'
import type { View } from '../insight/view.ts'
import { look, type Visit } from './visit.ts'

/** Rows as JSON texts: a value a column. */
export const printed = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row))

/**
 * @param usual the span where the address chooses none
 * @param ask the question of the page behind a cursor
 * @param row what is exported of an item; the whole of it unless said otherwise
 */
export async function* everyRow<Item extends object>(
  visit: Visit,
  usual: string | null,
  ask: (
    view: View,
    cursor: string | null,
  ) => Asked<{ items: readonly Item[]; next: string | null }>,
  row: (item: Item) => object = (item) => item,
): AsyncGenerator<readonly string[]> {
  const { view } = await look(visit, usual)
  let cursor = visit.url.searchParams.get('cursor') || null
  do {
    const { items, next } = await answered(visit.database, ask(view, cursor))
    yield printed(items.map(row))
    cursor = next
  } while (cursor !== null)
}
