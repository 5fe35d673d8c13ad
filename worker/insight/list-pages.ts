/** Reads lists page by page, and all rows of a list as JSON texts. */

import { readOne, type BatchRead } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'

/** A page of a list, and the cursor of the next page; null behind the last. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A list that has no further pages. */
export type WholeList<Item> = Pick<ListPage<Item>, 'items'>

/** A page of a list with the number of all its items. */
export interface CountedPage<Item> extends ListPage<Item> {
  readonly total: number
}

/** Rows as JSON texts: one value for each column. */
export const printed = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row))

/**
 * @param read the read of the page after a cursor; the first page begins at `from`
 * @param once whether to read that page only
 * @param row selects what to print of an item; by default the whole item
 */
export async function* everyRow<Item extends object>(
  database: Database,
  read: (cursor: string | null) => BatchRead<WholeList<Item> | ListPage<Item>>,
  from: string | null,
  { once = false, row = (item: Item): object => item } = {},
): AsyncGenerator<readonly string[]> {
  let cursor = from
  do {
    const page = await readOne(database, read(cursor))
    yield printed(page.items.map(row))
    cursor = once || !('next' in page) ? null : page.next
  } while (cursor !== null)
}
