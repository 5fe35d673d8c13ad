/**
 * Backs up the whole database and restores it, as `wrangler d1 export` and `wrangler d1 execute` do: a statement for each
 * row, with its values as SQLite quotes them.
 */

import { env } from 'cloudflare:workers'
import { forgetDatabase } from '../../worker/store/database.ts'

/** Statements by the table whose rows they insert. */
type Backup = ReadonlyMap<string, readonly string[]>

export async function backUp(): Promise<Backup> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name, (SELECT json_group_array(c.name) FROM pragma_table_info(m.name) c) AS columns FROM sqlite_master m WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
  ).all<{ name: string; columns: string }>()
  const backup = new Map<string, readonly string[]>()
  for (const { name, columns } of tables) {
    const names = (JSON.parse(columns) as string[]).map((column) => `"${column}"`)
    const { results } = await env.DB.prepare(
      `SELECT ${names.map((column) => `quote(${column})`).join(" || ',' || ")} AS row FROM "${name}"`,
    ).all<{ row: string }>()
    backup.set(
      name,
      results.map(({ row }) => `INSERT INTO "${name}" (${names.join()}) VALUES (${row})`),
    )
  }
  return backup
}

/** Replaces the rows of all tables with the backup's, and forgets what the service has in memory. */
export async function restore(backup: Backup): Promise<void> {
  const statements = [
    ...[...backup.keys()].map((table) => `DELETE FROM "${table}"`),
    ...[...backup.values()].flat(),
  ]
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
  forgetDatabase(env.DB)
}
