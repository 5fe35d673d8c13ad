/** Stores views: addresses of pages with their scope and filters, under titles. */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

const COLUMNS = {
  title: text('title'),
  address: text('address'),
  /** In ms. */
  saved: integer('saved'),
}
export type SavedView = RowOf<typeof COLUMNS>

/** Views stored at most: each is read with the page that lists them. */
export const MOST_VIEWS = 200

/** All views, by title. */
export const savedViewsRead = (): BatchRead<readonly SavedView[]> =>
  batchRead(
    [
      typed(COLUMNS, {
        sql: `select ${selectText(COLUMNS)} from saved_views order by title`,
        params: [],
      }),
    ],
    ([views]) => views,
  )

const TITLE = { title: text('title') }
const SAVE = `insert into saved_views (title, address, saved) select ?1, ?2, ${integerOf('?3')}
where (select count(*) from saved_views) < ${MOST_VIEWS} or exists (select 1 from saved_views where title = ?1)
on conflict (title) do update set address = excluded.address, saved = excluded.saved returning title`

/** Saves a view, in place of one of the same title. @returns false where there are MOST_VIEWS others */
export async function saveView(database: Database, view: SavedView): Promise<boolean> {
  const params = [view.title, view.address, view.saved]
  const [saved] = await database.batch([typed(TITLE, { sql: SAVE, params })])
  return saved.length > 0
}

/** Deletes a view. @returns whether it existed */
export async function deleteView(database: Database, title: string): Promise<boolean> {
  const sql = 'delete from saved_views where title = ?1 returning title'
  const [deleted] = await database.batch([typed(TITLE, { sql, params: [title] })])
  return deleted.length > 0
}
