/** The tables that SQL is built from (worker/schema/tables.ts) are those that the migrations make. Indexes are in indexes.test.ts. */

import { env } from 'cloudflare:workers'
import { is } from 'drizzle-orm'
import { SQLiteTable, getTableConfig } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as tables from '../../worker/schema/tables.ts'

interface Table {
  /** Sorted: rows are never read by the position of a column. */
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
  readonly autoIncrement: boolean
}

const declared = Object.values(tables).filter((value) => is(value, SQLiteTable))
const columnText = (name: string, type: string, notNull: boolean): string =>
  `${name} ${type.toLowerCase()}${notNull ? ' not null' : ''}`

function fromDrizzle(table: SQLiteTable): Table {
  const { columns } = getTableConfig(table)
  const primary = columns.filter((column) => column.primary)
  return {
    // SQLite doesn't call the rowid NOT NULL.
    columns: columns
      .map((column) =>
        columnText(column.name, column.getSQLType(), column.notNull && !column.primary),
      )
      .sort(),
    primaryKey: primary.map(({ name }) => name),
    autoIncrement: primary.some((column) => 'autoIncrement' in column && column.autoIncrement),
  }
}

async function all<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...values)
    .all<Row>()
  return results
}

async function fromMigrations(name: string, createTable: string): Promise<Table> {
  const columns = await all<{ name: string; type: string; notnull: number; pk: number }>(
    'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)',
    name,
  )
  const keys = columns.filter(({ pk }) => pk > 0)
  return {
    columns: columns
      .map((column) => columnText(column.name, column.type, column.notnull === 1))
      .sort(),
    // Keys of several columns cluster a table; SQL names their columns.
    primaryKey: keys.length === 1 ? keys.map((column) => column.name) : [],
    autoIncrement: /\bautoincrement\b/i.test(createTable),
  }
}

const stored = await all<{ name: string; sql: string }>(
  `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
   AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'd1_migrations'`,
)

describe('tables.ts and the migrations', () => {
  it.each(declared.map((table) => [getTableConfig(table).name, table] as const))(
    'agree on %s: columns and primary key',
    async (name, table) => {
      const created = stored.find((one) => one.name === name)
      expect(await fromMigrations(name, created?.sql ?? '')).toEqual(fromDrizzle(table))
    },
  )

  it('know no views and no triggers', async () => {
    const others = "sqlite_master WHERE type NOT IN ('table', 'index')"
    expect(await all(`SELECT type, name FROM ${others}`)).toEqual([])
  })

  it('keep the body of a report behind every column that 0001 made, which are read without its overflow pages', async () => {
    const columns = await all<{ name: string }>("SELECT name FROM pragma_table_info('reports')")
    expect(columns.findIndex(({ name }) => name === 'body')).toBe(30)
  })
})
