/** worker/schema/tables.ts, side-tables.ts, hook-tables.ts, indexes.ts and migrations/ say the same, in both directions. */

import { env } from 'cloudflare:workers'
import { is } from 'drizzle-orm'
import {
  SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
  getTableConfig,
} from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as hookTables from '../../worker/schema/hook-tables.ts'
import { INDEXES, KEYS } from '../../worker/schema/indexes.ts'
import * as sideTables from '../../worker/schema/side-tables.ts'
import * as tables from '../../worker/schema/tables.ts'

interface Table {
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
  readonly autoIncrement: boolean
  readonly indexes: readonly string[]
}

const dialect = new SQLiteSyncDialect()
const declared = Object.values({ ...tables, ...sideTables, ...hookTables }).filter((value) =>
  is(value, SQLiteTable),
)
const columnText = (name: string, type: string, notNull: boolean): string =>
  `${name} ${type.toLowerCase()}${notNull ? ' not null' : ''}`
const indexText = (name: string, unique: boolean, columns: readonly string[], where: string) =>
  `${unique ? 'unique ' : ''}${name} (${columns.join(', ')})${where ? ` where ${where}` : ''}`

/** A condition as both sides write it: no quotes, no table names, lower case. */
const plainCondition = (sql: string): string =>
  sql
    .replaceAll('"', '')
    .replaceAll(/\b\w+\./g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

function fromDrizzle(table: SQLiteTable): Table {
  const { columns, primaryKeys, indexes, foreignKeys, checks, uniqueConstraints } =
    getTableConfig(table)
  // Indexes and keys of several columns are in indexes.ts.
  expect([foreignKeys, checks, uniqueConstraints, indexes, primaryKeys]).toEqual([
    [],
    [],
    [],
    [],
    [],
  ])
  const own = columns.filter(({ primary }) => primary)
  const keyed = own.length > 0 ? own : (KEYS.get(table) ?? [])
  const rowid = keyed.length === 1 && keyed[0]!.getSQLType() === 'integer'
  return {
    // SQLite calls neither the rowid nor, without saying so, a part of a key NOT NULL.
    columns: columns.map((column) =>
      columnText(column.name, column.getSQLType(), column.notNull && !(rowid && column.primary)),
    ),
    primaryKey: keyed.map(({ name }) => name),
    autoIncrement: own.some((column) => 'autoIncrement' in column && column.autoIncrement === true),
    indexes: INDEXES.filter((index) => index.table === table)
      .map(({ name, unique, on, where }) =>
        indexText(
          name,
          unique === true,
          on.map((part) => (is(part, SQLiteColumn) ? part.name : '(expression)')),
          where ? plainCondition(dialect.sqlToQuery(where).sql) : '',
        ),
      )
      .sort(),
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
    'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
    name,
  )
  const indexes = await all<{ name: string; unique: number; sql: string }>(
    `SELECT list.name, list."unique", master.sql FROM pragma_index_list(?1) list
     JOIN sqlite_master master ON master.name = list.name WHERE list.origin = 'c'`,
    name,
  )
  const texts: string[] = []
  for (const index of indexes) {
    const parts = await all<{ name: string | null; desc: number; key: number }>(
      'SELECT name, "desc", key FROM pragma_index_xinfo(?) ORDER BY seqno',
      index.name,
    )
    const keys = parts.filter(({ key }) => key === 1)
    const where = /\bwhere\b(.*)$/is.exec(index.sql)?.[1] ?? ''
    texts.push(
      indexText(
        index.name,
        index.unique === 1,
        keys.map((part) => (part.name ?? '(expression)') + (part.desc ? ' desc' : '')),
        plainCondition(where),
      ),
    )
  }
  return {
    columns: columns.map((column) => columnText(column.name, column.type, column.notnull === 1)),
    primaryKey: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name),
    autoIncrement: /\bautoincrement\b/i.test(createTable),
    indexes: texts.sort(),
  }
}

const stored = await all<{ name: string; sql: string }>(
  `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
   AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'd1_migrations'`,
)

describe('tables.ts and the migrations', () => {
  it('name the same tables', () => {
    expect(stored.map(({ name }) => name).sort()).toEqual(
      declared.map((table) => getTableConfig(table).name).sort(),
    )
  })

  it('hold no views and no triggers, which tables.ts could not say', async () => {
    const others = "sqlite_master WHERE type NOT IN ('table', 'index')"
    expect(await all(`SELECT type, name FROM ${others}`)).toEqual([])
  })

  it.each(declared.map((table) => [getTableConfig(table).name, table] as const))(
    'agree on %s: columns, primary key, indexes',
    async (name, table) => {
      const { sql } = stored.find((one) => one.name === name) ?? { sql: '' }
      expect(await fromMigrations(name, sql)).toEqual(fromDrizzle(table))
    },
  )
})
