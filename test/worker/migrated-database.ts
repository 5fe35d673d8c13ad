/** Makes the database of the tests as a new deployment has it. */

import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { forgetDatabase } from '../../worker/store/database.ts'

type Row = Readonly<Record<string, string | number | null>>

/** What the migrations make. */
interface Migrated {
  /** Definitions of all tables and indexes. */
  readonly schema: string
  readonly rowsByTable: ReadonlyMap<string, readonly Row[]>
}

/** Of the first file: the files share the isolate, and applying the migrations takes longer than most tests. */
const shared = globalThis as { migrated?: Migrated }

/** Empties all tables, and makes them where a test left others. */
export async function emptyDatabase(): Promise<void> {
  const { schema, tables } = await readSchema()
  if (schema === shared.migrated?.schema) await restoreRows(shared.migrated)
  else {
    const droppable = tables.filter((name) => !name.startsWith('sqlite_'))
    if (droppable.length > 0)
      await env.DB.batch(droppable.map((name) => env.DB.prepare(`DROP TABLE "${name}"`)))
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    shared.migrated = await readMigrated()
  }
  forgetDatabase(env.DB)
}

async function readSchema(): Promise<{ schema: string; tables: readonly string[] }> {
  const { results } = await env.DB.prepare(
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '_cf_%' ORDER BY type, name",
  ).all<{ type: string; name: string }>()
  return {
    schema: JSON.stringify(results),
    tables: results.flatMap(({ type, name }) => (type === 'table' ? [name] : [])),
  }
}

async function readMigrated(): Promise<Migrated> {
  const { schema, tables } = await readSchema()
  const contents = await env.DB.batch<Row>(
    tables.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  )
  return {
    schema,
    rowsByTable: new Map(tables.map((name, index) => [name, contents[index]!.results])),
  }
}

/** Makes the rows those that a new deployment has, among them the greatest ids in `sqlite_sequence`. */
async function restoreRows({ rowsByTable }: Migrated): Promise<void> {
  const statements = [...rowsByTable].flatMap(([table, rows]) => [
    env.DB.prepare(`DELETE FROM "${table}"`),
    ...rows.map((row) =>
      env.DB.prepare(
        `INSERT INTO "${table}" (${Object.keys(row).join()}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join()})`,
      ).bind(...Object.values(row)),
    ),
  ])
  await env.DB.batch(statements)
}
