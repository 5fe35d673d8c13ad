/** Queries that someone saved. */

import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** [name, title, query, time in ms], by name. */
export const savedStatement = (): Statement => ({
  sql: 'SELECT name, title, query, saved FROM saved_queries ORDER BY name',
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

/** Forgets a saved query; @returns whether there was one */
export async function forgetQuery(database: Database, name: string): Promise<boolean> {
  const [rows] = await database.batch([
    { sql: 'DELETE FROM saved_queries WHERE name = ?1 RETURNING name AS c0', params: [name] },
  ])
  return rows!.length > 0
}
