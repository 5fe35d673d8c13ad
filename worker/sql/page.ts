/** Statements of a compiled select: its rows page by page, and how many there are. */

import { sql, type SQL } from 'drizzle-orm'
import { reports } from '../schema/tables.ts'
import { integer, select } from './columns.ts'
import { rowCount } from './encoding.ts'
import { EXTRAS, SHORT_VALUES } from './extras.ts'
import { behind, type After } from './position.ts'
import { render } from './render.ts'
import type { CompiledSelect, OutputColumn } from './select.ts'
import type { Parameter, TypedStatement } from './statement.ts'

/**
 * A row of a page: the values of its columns by name and, where selected, the extras and the position.
 * Hashes and bodies are in hex; `extra.long` is 1 where a value of an event is in pieces.
 */
export interface PageRow {
  readonly [name: string]: unknown
  readonly 'extra.hash': string
  readonly 'extra.events': number
  readonly 'extra.metricSet': number | null
  readonly 'extra.body': string | null
  readonly 'extra.long': number | null
  /** Characters of an event's values; 0 where all of them are short, and in the page. */
  readonly 'extra.size': number
  /** Key of a report. */
  readonly 'key.id': number
  /** Key of an event. */
  readonly 'key.report': number
  readonly 'key.n': number
}

/** The statement of a page: at most `size` rows after the position `after`; null for the first page. */
export function pageStatement(
  compiled: CompiledSelect,
  after: After | null,
  size: number,
): TypedStatement<PageRow> {
  const columns = [
    ...compiled.columns.map((column) => [column.name, valueInPage(compiled, column)] as const),
    ...compiled.extras.map((name) => [`extra.${name}`, EXTRAS[name]] as const),
    ...compiled.position
      .filter(({ name }) => !compiled.columns.some((column) => column.name === name))
      .map(({ name, value }) => [name, value] as const),
  ]
  const selected = columns.map(([name, value]) => aliased(value, name))
  const { sql: text, params } = render(
    sql`select ${sql.join(selected, sql`, `)}${pageTail(compiled, after, size)}`,
  )
  return {
    sql: text,
    params,
    names: columns.map(([name]) => name),
    decode: (stored) => stored as unknown as PageRow,
  }
}

const valueInPage = ({ extras }: CompiledSelect, { name, sql: value }: OutputColumn): SQL =>
  (extras.includes('long') ? SHORT_VALUES.get(name) : undefined) ?? value

/** `value as "name"`. */
const aliased = (value: SQL, name: string): SQL => sql`${value} as ${sql.identifier(name)}`

/** The position of the last row of a page. */
export const endOf = ({ position }: CompiledSelect, last: PageRow): After =>
  position.map(({ name }) => last[name] as Parameter)

/** A subselect of the keys of such a page. */
export const pageKeys = (compiled: CompiledSelect, after: After | null, size: number): SQL =>
  sql`(select ${compiled.position.at(-1)!.value}${pageTail(compiled, after, size)})`

function pageTail(compiled: CompiledSelect, after: After | null, size: number): SQL {
  const where = after
    ? sql`(${compiled.where} and ${behind(compiled.position, after)})`
    : firstRows(compiled, size)
  const offset =
    after === null && compiled.offset > 0 ? sql` offset ${rowCount(compiled.offset)}` : sql``
  return sql` from ${compiled.from} where ${where}${compiled.groupBy}${compiled.orderBy} limit ${rowCount(size)}${offset}`
}

/**
 * The condition of the first page: the plan's, or membership in the few rows that are known to include
 * the page. It nests as deep as the condition of later pages, so that SQLite refuses too deep queries at the first
 * page.
 */
function firstRows({ where, topN, limit, offset, position }: CompiledSelect, size: number): SQL {
  if (topN !== null && limit !== null) return sql`${reports.id} in ${topN(offset + size)}`
  const only = position.length === 0 || (limit !== null && limit <= size)
  return only ? where : sql`(${where} and 1)`
}

/** How many rows there are, whatever the limit; of groups, how many groups. */
export const totalStatement = ({
  total: { count, from },
}: CompiledSelect): TypedStatement<{ readonly total: number }> =>
  select({ total: integer(count) }, from)
