/** The names in a query of the JSON syntax: columns, groups and left sides of comparisons. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import type { QueryColumn, FieldColumn, Members, Operand } from './ast.ts'
import { isClause, quote } from './clause.ts'
import type { Clause } from './clause.ts'

/** columns = name | [column, …] */
export function readColumns(columns: Json): readonly QueryColumn[] {
  return isClause(columns) ? columns.map(readColumn) : [readColumn(columns)]
}

/** column = name | ["function", name, argument, …] */
function readColumn(column: Json): QueryColumn {
  if (typeof column === 'string') return field(column)
  if (!isClause(column) || column[0] !== 'function') {
    throw new QueryError(`${quote(column)} is neither a column name nor a function call`)
  }
  const [, name, ...args] = column
  if (typeof name !== 'string') throw new QueryError(`A function has no name: ${quote(column)}`)
  return { kind: 'function', name, arguments: args }
}

const field = (name: string): FieldColumn => ({ kind: 'field', name })

/** group_by = ["group_by", column, …] */
export function readGroupBy(clause: Clause): readonly QueryColumn[] {
  if (clause.length < 2) throw new QueryError("'group_by' takes at least one column")
  return clause.slice(1).map(readColumn)
}

/** operand = name | ["node","active"] | ["fact", name] | ["parameter", name] | function */
export function readOperand(operand: Json | undefined): Operand {
  if (typeof operand === 'string') return field(operand)
  if (isClause(operand)) {
    const [kind, name] = operand
    if (kind === 'function') return readColumn(operand)
    if (operand.length === 2 && name !== undefined) {
      if (kind === 'fact' || kind === 'parameter') return { kind, name }
      if (kind === 'node' && typeof name === 'string') return { kind: 'state', name }
    }
  }
  throw new QueryError(`${quote(operand ?? null)} can't be compared: it is not the name of a field`)
}

/** members = name | [name, …] | ["fact", name] */
export function readMembers(left: Json | undefined, clause: Clause): Members {
  if (!isClause(left) || (left.length === 2 && left[0] === 'fact')) {
    return { left: [readOperand(left)] }
  }
  if (left.length === 0) throw new QueryError(`'in' takes at least one field: ${quote(clause)}`)
  const members = left.map((name) => {
    if (typeof name === 'string') return field(name)
    throw new QueryError(`${quote(name)} is not the name of a field: ${quote(clause)}`)
  })
  return members.length === 1 ? { left: members, isListed: true } : { left: members }
}
