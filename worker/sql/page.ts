/** Statements of a compiled select: its rows page by page, and how many there are. */

import { sql, type SQL } from 'drizzle-orm'
import { reports } from '../schema/tables.ts'
import { EXTRAS } from './extras.ts'
import { behind, type After } from './position.ts'
import { render } from './render.ts'
import type { CompiledSelect } from './select.ts'
import type { Statement } from './statement.ts'

/** The statement of the page of at most `size` rows behind `after`; null asks for the first page. */
export function pageStatement(
  compiled: CompiledSelect,
  after: After | null,
  size: number,
): Statement {
  const selected = [
    ...compiled.select,
    ...compiled.extras.map((name) => EXTRAS[name]),
    ...compiled.position.map(({ value }) => value),
  ]
  const aliased = selected.map((value, index) => sql`${value} as ${sql.raw(`c${index}`)}`)
  return render(sql`select ${sql.join(aliased, sql`, `)}${pageTail(compiled, after, size)}`)
}

/** The keys of the rows of such a page, as a subselect. */
export const pageKeys = (compiled: CompiledSelect, after: After | null, size: number): SQL =>
  sql`(select ${compiled.position.at(-1)!.value}${pageTail(compiled, after, size)})`

function pageTail(compiled: CompiledSelect, after: After | null, size: number): SQL {
  const where = after
    ? sql`(${compiled.where} and ${behind(compiled.position, after)})`
    : firstRows(compiled, size)
  const offset = after === null && compiled.offset > 0 ? sql` offset ${compiled.offset}` : sql``
  return sql` from ${compiled.from} where ${where}${compiled.groupBy}${compiled.orderBy} limit ${size}${offset}`
}

/**
 * The condition of the first page: the whole one, or the few rows that are known to hold the page. It
 * nests as deep as that of the pages behind it, so that SQLite refuses the first where it would refuse another.
 */
function firstRows({ where, nearby, limit, offset, position }: CompiledSelect, size: number): SQL {
  if (nearby !== null && limit !== null) return sql`${reports.id} in ${nearby(offset + size)}`
  const only = position.length === 0 || (limit !== null && limit <= size)
  return only ? where : sql`(${where} and 1)`
}

/** How many rows there are, whatever the limit; of groups, how many groups. */
export const totalStatement = ({ total }: CompiledSelect): Statement => render(total)
