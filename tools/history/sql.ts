/** Asks DuckDB, a development dependency, about a folder of history. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { HistoryError } from './history-error.ts'

/** Prints the rows: a table on a terminal, CSV elsewhere. @throws HistoryError without DuckDB or files */
export async function printAnswer(folder: string, sql: string): Promise<void> {
  const connection = await openTables(folder)
  const answer = await connection.runAndReadAll(sql)
  const rows = answer.getRowObjectsJson()
  if (process.stdout.isTTY) return console.table(rows)
  const names = answer.columnNames()
  console.log([names, ...rows.map((row) => names.map((name) => row[name]))].map(csvLine).join('\n'))
}

async function openTables(folder: string) {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch(() => {
    throw new HistoryError(
      'DuckDB is missing. Install it beside the service: npm install --no-save @duckdb/node-api',
    )
  })
  const connection = await (await DuckDBInstance.create()).connect()
  const tables = HISTORY_TABLE_NAMES.filter((table) => existsSync(join(folder, table)))
  if (tables.length === 0) throw new HistoryError(`${folder} holds no history.`)
  for (const table of tables) {
    const files = `${folder.replaceAll("'", "''")}/${table}/*/*.parquet`
    await connection.run(
      `create view ${table} as select * from read_parquet('${files}', hive_partitioning = true, union_by_name = true)`,
    )
  }
  return connection
}

const csvLine = (values: readonly unknown[]): string => values.map(csvValue).join(',')

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
