/** The paging clauses of a `from`: limit, offset and order_by. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import type { Paging, SortKey } from './ast.ts'
import { isClause, operatorOf, quote } from './clause.ts'
import type { Clause } from './clause.ts'

/** Reads clauses in any order. Each may occur once and has one argument; a limit is at least `leastLimit`. */
export function readPaging(clauses: readonly Clause[], leastLimit: 0 | 1): Paging {
  const limit = argumentOf('limit', clauses)
  const offset = argumentOf('offset', clauses)
  const orderBy = argumentOf('order_by', clauses)
  return {
    limit: limit === undefined ? null : readCount('limit', limit, leastLimit),
    offset: offset === undefined ? null : readCount('offset', offset, 0),
    orderBy: orderBy === undefined ? null : readOrder(orderBy),
  }
}

function argumentOf(name: string, clauses: readonly Clause[]): Json | undefined {
  const [clause, another] = clauses.filter((candidate) => operatorOf(candidate) === name)
  if (another) throw new QueryError(`Multiple '${name}' clauses are not permitted`)
  if (!clause) return undefined
  const [, argument, ...surplus] = clause
  if (argument === undefined || argument === null || argument === false) {
    throw new QueryError(`Received '${name}' clause without an argument`)
  }
  if (surplus.length > 0) throw new QueryError(`'${name}' takes one argument: ${quote(clause)}`)
  return argument
}

function readCount(name: string, value: Json, least: 0 | 1): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  const expected = least === 1 ? 'a positive non-zero integer' : 'a non-negative integer'
  throw new QueryError(
    `Illegal value ${quote(value)} in the '${name}' clause; expected ${expected}.`,
  )
}

/** order_by = [name | [name, "asc" | "desc"], …] */
function readOrder(keys: Json): readonly SortKey[] {
  if (!isClause(keys)) {
    throw new QueryError(
      `Illegal value ${quote(keys)} in the 'order_by' clause; expected a list of fields.`,
    )
  }
  return keys.map(readSortKey)
}

function readSortKey(key: Json): SortKey {
  if (typeof key === 'string') return { field: key, direction: 'asc' }
  if (isClause(key) && key.length === 2) {
    const [field, direction] = key
    if (typeof field === 'string' && (direction === 'asc' || direction === 'desc')) {
      return direction === 'asc' ? { field, direction, isExplicit: true } : { field, direction }
    }
  }
  throw new QueryError(
    `Illegal value ${quote(key)} in the 'order_by' clause; expected a field or [field, "asc" | "desc"].`,
  )
}
