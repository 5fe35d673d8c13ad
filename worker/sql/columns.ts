/**
 * The columns of a statement, named once: the same table makes the select list, the type of a row, and
 * its decoder. D1 answers a row as an object by column name, so a row needs work only where a value is
 * stored in another form than the code uses.
 *
 * const HOOK = { name: text('h.name'), created: integer('h.created'), cause: nullable(text('c.name')) }
 * const statement = typed(HOOK, { sql: `SELECT ${selectText(HOOK)} FROM …`, params: [] })
 * const [hooks] = await database.batch([statement]) // { name: string, created: number, cause: string |
 * null }[]
 */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../lib/time.ts'
import { keyMilliseconds, uuidSelected, uuidText } from './encoding.ts'
import { render } from './render.ts'
import type { Statement, StoredRow, TypedStatement } from './statement.ts'

/** A column of a row. */
export interface Column<Value, Expression extends string | SQL = string | SQL> {
  /** SQL for the value. */
  readonly expression: Expression
  /** Converts a value as D1 answers it; null where no conversion is needed. */
  readonly convert: ((stored: never) => Value) | null
}

/** Columns by the name that their value has in a row. */
export type Columns = Readonly<Record<string, Column<unknown>>>

/** A row of such columns. */
export type RowOf<Selected extends Columns> = {
  readonly [Name in keyof Selected]: Selected[Name] extends Column<infer Value> ? Value : never
}

type Expression = string | SQL

/** A text. For a few possible texts, such as codes, the type argument lists them. */
export const text = <Value extends string = string, Sql extends Expression = Expression>(
  expression: Sql,
): Column<Value, Sql> => ({ expression, convert: null })

/** A whole number: a count, an id, a key, a time in ms. */
export const integer = <Sql extends Expression>(expression: Sql): Column<number, Sql> => ({
  expression,
  convert: null,
})

/** A number with a fraction. */
export const real = integer

/** 0 or 1. */
export const flag = <Sql extends Expression>(expression: Sql): Column<boolean, Sql> => ({
  expression,
  convert: (stored: number) => stored !== 0,
})

/** JSON text that this service wrote; the type argument is its content. */
export const json = <Value, Sql extends Expression = Expression>(
  expression: Sql,
): Column<Value, Sql> => ({ expression, convert: (stored: string) => JSON.parse(stored) as Value })

/** The time of a report's key, in ms. */
export const keyTime = <Sql extends Expression>(expression: Sql): Column<number, Sql> => ({
  expression,
  convert: keyMilliseconds,
})

/** A time in ms, as the API writes it. */
export const timestamp = <Sql extends Expression>(expression: Sql): Column<Timestamp, Sql> => ({
  expression,
  convert: formatTimestamp,
})

/** The time of a report's key, as the API writes it: the producer timestamp, exact except beyond the range of keys. */
export const keyTimestamp = <Sql extends Expression>(expression: Sql): Column<Timestamp, Sql> => ({
  expression,
  convert: (key: number) => formatTimestamp(keyMilliseconds(key)),
})

/** A UUID, or the text that was sent where it is none. */
export function uuid(expression: string): Column<string, string>
export function uuid(expression: SQL): Column<string, SQL>
export function uuid(expression: Expression): Column<string> {
  return {
    expression:
      typeof expression === 'string' ? uuidSelected(expression) : uuidSelected(expression),
    convert: uuidText,
  }
}

/** The same column, nullable. */
export function nullable<Value, Sql extends Expression>({
  expression,
  convert,
}: Column<Value, Sql>): Column<Value | null, Sql> {
  if (convert === null) return { expression, convert }
  return { expression, convert: (stored: never) => (stored === null ? null : convert(stored)) }
}

/** The select list as a fragment. */
export const selectList = (columns: Columns): SQL =>
  sql.join(
    Object.entries(columns).map(
      ([name, { expression }]) =>
        sql`${typeof expression === 'string' ? sql.raw(expression) : expression} as ${sql.identifier(name)}`,
    ),
    sql`, `,
  )

/** The select list as text, for columns whose SQL is text. */
export const selectText = (columns: Readonly<Record<string, Column<unknown, string>>>): string =>
  Object.entries(columns)
    .map(([name, { expression }]) => `${expression} as "${name}"`)
    .join(', ')

/** A statement that selects or returns these columns, with rows of their type. */
export const typed = <const Selected extends Columns>(
  columns: Selected,
  { sql: text, params }: Statement,
): TypedStatement<RowOf<Selected>> => ({
  sql: text,
  params,
  names: Object.keys(columns),
  decode: decoderOf(columns),
})

/** A select of the columns, whose rest is `rest`. @throws QueryError as `render` does */
export const select = <const Selected extends Columns>(
  columns: Selected,
  rest: SQL,
): TypedStatement<RowOf<Selected>> =>
  typed(columns, render(sql`select ${selectList(columns)} ${rest}`))

/** Decodes a row in place: D1's object, with its values converted. */
export function decoderOf<const Selected extends Columns>(
  columns: Selected,
): (stored: StoredRow) => RowOf<Selected> {
  const conversions = Object.entries(columns).flatMap(([name, { convert }]) =>
    convert === null ? [] : [[name, convert] as const],
  )
  return (stored) => {
    for (const [name, convert] of conversions) stored[name] = convert(stored[name] as never)
    return stored as RowOf<Selected>
  }
}
