/** Asks DuckDB about a folder of history, and prints the answer. */

import {
  HISTORY_TABLE_NAMES,
  HISTORY_TABLES,
  type HistoryKind,
  type HistoryTable,
} from '../../worker/schema/history-tables.ts'
import { wholePaths } from '../../worker/local/whole-history.ts'
import { loadDuckDB } from './duckdb.ts'
import { HistoryError } from './history-error.ts'

export const FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** SQL with the values of its `$names`. */
export interface HistoryQuery {
  readonly sql: string
  readonly values?: Readonly<Record<string, string>>
}

/**
 * Prints the rows of a query, or writes them to a file.
 *
 * @param output path of the file; Parquet needs one
 * @throws HistoryError without DuckDB, files or a path, and for SQL that DuckDB refuses
 */
export async function printAnswer(
  folder: string,
  query: HistoryQuery,
  wanted?: Format,
  output?: string,
): Promise<void> {
  const format = wanted ?? (process.stdout.isTTY && output === undefined ? 'table' : 'csv')
  if (format === 'parquet' && output === undefined)
    throw new HistoryError('Parquet is written to a file: --output FILE.')
  if (format === 'table' && output !== undefined)
    throw new HistoryError('A table is for terminals. --output takes csv, json or parquet.')
  const connection = await openHistory(folder)
  const { sql, values = {} } = query
  if (output !== undefined) {
    await connection.run(`copy (${withoutEnd(sql)}) to ${quoted(output)} ${COPIES[format]}`, values)
    return
  }
  if (format === 'json') {
    // As DuckDB writes it to a file: counts are numbers.
    const texts = await connection.runAndReadAll(
      `select to_json(answer)::varchar from (${withoutEnd(sql)}) answer`,
      values,
    )
    return console.log(`[${texts.getRows().join(',')}]`)
  }
  const answer = await connection.runAndReadAll(sql, values)
  const rows = answer.getRowObjectsJson()
  switch (format) {
    case 'table':
      return console.table(rows)
    default: {
      const names = answer.columnNames()
      const lines = [names, ...rows.map((row) => names.map((name) => row[name]))]
      console.log(lines.map(csvLine).join('\n'))
    }
  }
}

const COPIES: Readonly<Record<Format, string>> = {
  table: '',
  csv: '(format csv, header)',
  json: '(format json, array true)',
  parquet: '(format parquet)',
}
const withoutEnd = (sql: string): string => sql.replace(/;\s*$/, '')
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** DuckDB's type of each kind. */
const TYPES: Readonly<Record<HistoryKind, string>> = {
  string: 'varchar',
  json: 'varchar',
  integer: 'bigint',
  boolean: 'boolean',
  milliseconds: 'timestamp',
  nanoseconds: 'timestamp_ns',
  strings: 'varchar[]',
  numbers: 'map(varchar, double)',
}

/** A connection on which the tables of a folder are views. @throws HistoryError without DuckDB or files */
export async function openHistory(folder: string) {
  const { DuckDBInstance } = await loadDuckDB()
  const connection = await (await DuckDBInstance.create()).connect()
  const paths = await wholePaths(folder)
  if (paths.length === 0) throw new HistoryError(`${folder} holds no history.`)
  for (const table of HISTORY_TABLE_NAMES) {
    const files = paths.filter((path) => path.startsWith(`${table}/`))
    if (files.length === 0) continue
    const rows = rowsOf(folder, files)
    const found = (await connection.runAndReadAll(`describe ${rows}`)).getColumns()[0]!
    await connection.run(`create view ${table} as select *${lacking(table, found)} from (${rows})`)
  }
  return connection
}

/** SQL for the rows of files: a day's files are left out by their path where a question has a date, a month's row groups by their times. */
function rowsOf(folder: string, paths: readonly string[]): string {
  const [days, months] = ['/date=', '/month='].map((place) =>
    paths.filter((path) => path.includes(place)).map((path) => quoted(`${folder}/${path}`)),
  )
  const read = (files: readonly string[], options: string): string =>
    `read_parquet([${files.join(', ')}], union_by_name = true, hive_partitioning = ${options})`
  return [
    ...(days!.length > 0 ? [`select * from ${read(days!, 'true')}`] : []),
    ...(months!.length > 0
      ? [`select *, producer_timestamp::date as date from ${read(months!, 'false')}`]
      : []),
  ].join(' union all by name ')
}

/** Columns that only later files have, as nulls. */
const lacking = (table: HistoryTable, found: readonly unknown[]): string =>
  HISTORY_TABLES[table]
    .filter(({ name }) => !found.includes(name))
    .map(({ name, kind }) => `, null::${TYPES[kind]} as ${name}`)
    .join('')

const csvLine = (values: readonly unknown[]): string => values.map(csvValue).join(',')

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
