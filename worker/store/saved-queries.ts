/** Stores the queries that users saved. */

import { integer, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'
import { NEXT_GENERATION } from './generation.ts'

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
    sql: `select ${selectText(COLUMNS)} from saved_queries order by name`,
    params: [],
  })

const SAVE = `insert into saved_queries (name, title, query, saved) values (?1, ?2, ?3, ${integerOf('?4')})
on conflict (name) do update set title = excluded.title, query = excluded.query, saved = excluded.saved`

/** Saves a query, replacing one of the same name. @param now in ms */
export async function saveQuery(
  database: Database,
  saved: { readonly name: string; readonly title: string; readonly query: string },
  now: number,
): Promise<void> {
  await database.batch([
    { sql: SAVE, params: [saved.name, saved.title, saved.query, now] },
    NEXT_GENERATION,
  ])
}

/** Deletes a saved query; @returns whether it existed */
export async function deleteSavedQuery(database: Database, name: string): Promise<boolean> {
  const deletion = {
    sql: 'delete from saved_queries where name = ?1 returning name',
    params: [name],
  }
  const [deleted] = await database.batch([typed({ name: text('name') }, deletion), NEXT_GENERATION])
  return deleted.length > 0
}
