/** Lists as rows, as JSON texts: all of a list page by page, each page read when it is wanted. */

import type { Database } from '../store/database.ts'
import { readOne, type BatchRead } from '../store/batch-read.ts'

/** A page of a list, and the cursor of the next; null behind the last. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Rows as JSON texts: a value a column. */
export const printed = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row))

/**
 * @param ask the question of the page behind a cursor, the first of which is `from`
 * @param once whether that page is all that is wanted
 * @param row what is told of an item; the whole of it unless said otherwise
 */
export async function* everyRow<Item extends object>(
  database: Database,
  ask: (cursor: string | null) => BatchRead<ListPage<Item>>,
  from: string | null,
  { once = false, row = (item: Item): object => item } = {},
): AsyncGenerator<readonly string[]> {
  let cursor = from
  do {
    const { items, next } = await readOne(database, ask(cursor))
    yield printed(items.map(row))
    cursor = once ? null : next
  } while (cursor !== null)
}
