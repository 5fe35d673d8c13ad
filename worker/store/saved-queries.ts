/** Queries that someone saved. */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import type { TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'

const COLUMNS = {
  name: text('name'),
  title: text('title'),
  query: text('query'),
  /** In ms. */
  saved: integer('saved'),
}

/** All saved queries, by name. */
export const savedStatement = (): TypedStatement<RowOf<typeof COLUMNS>> =>
  typed(COLUMNS, {
    sql: `SELECT ${selectText(COLUMNS)} FROM saved_queries ORDER BY name`,
    params: [],
  })

const SAVE = `INSERT INTO saved_queries (name, title, query, saved) VALUES (?1, ?2, ?3, CAST(?4 AS INTEGER))
ON CONFLICT (name) DO UPDATE SET title = excluded.title, query = excluded.query, saved = excluded.saved`

/** Saves a query under a name, in the place of one that was there. @param now in ms */
export async function saveQuery(
  database: Database,
  saved: { readonly name: string; readonly title: string; readonly query: string },
  now: number,
): Promise<void> {
  await database.batch([{ sql: SAVE, params: [saved.name, saved.title, saved.query, now] }])
}

/** Deletes a saved query; @returns whether there was one */
export async function deleteSavedQuery(database: Database, name: string): Promise<boolean> {
  const deletion = {
    sql: 'DELETE FROM saved_queries WHERE name = ?1 RETURNING name',
    params: [name],
  }
  const [deleted] = await database.batch([typed({ name: text('name') }, deletion)])
  return deleted.length > 0
}
