/** The columns of tables that take values: computed ones take none. */

import { env } from 'cloudflare:workers'

/** Table → its columns, with commas between them. */
export async function storedColumns(
  tableNames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const statement = env.DB.prepare('SELECT name FROM pragma_table_info(?)')
  const tables = await env.DB.batch<{ name: string }>(
    tableNames.map((table) => statement.bind(table)),
  )
  return new Map(
    tableNames.map((table, index) => [
      table,
      tables[index]!.results.map(({ name }) => name).join(),
    ]),
  )
}
