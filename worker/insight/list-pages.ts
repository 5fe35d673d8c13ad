/** Pages of lists, and all rows of a list as JSON texts, read page by page. */

import { readOne, type BatchRead } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'

/** A page of a list, and the cursor of the next page; null behind the last. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A page of a list with the number of all its items. */
export interface CountedPage<Item> extends ListPage<Item> {
  readonly total: number
}

/** Rows as JSON texts: a value a column. */
export const printed = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row))

/**
 * @param read the read of the page behind a cursor, the first of which is `from`
 * @param once whether only that page is wanted
 * @param row what of an item is printed; the whole of it by default
 */
export async function* everyRow<Item extends object>(
  database: Database,
  read: (cursor: string | null) => BatchRead<ListPage<Item>>,
  from: string | null,
  { once = false, row = (item: Item): object => item } = {},
): AsyncGenerator<readonly string[]> {
  let cursor = from
  do {
    const { items, next } = await readOne(database, read(cursor))
    yield printed(items.map(row))
    cursor = once ? null : next
  } while (cursor !== null)
}
