/** The functions of a projection in SQL. */

import { sql, type SQL } from 'drizzle-orm'
import type { PlanColumn } from '../plan/plan.ts'
import { numberText, timestampText } from '../postgres/to-char/to-char.ts'
import { valueOf } from './values.ts'

type FunctionColumn = Extract<PlanColumn, { kind: 'function' }>

/** The SQL of a function of a field; without a field, a count of rows. Aggregates have the same names in SQLite. */
export function functionValue({ function: name, field, mask }: FunctionColumn): SQL {
  if (field === null) return sql`count(*)`
  const value = valueOf(field, true)
  if (name === 'to_string') {
    return (field.kind === 'timestamp' ? timestampText : numberText)(value, mask ?? '')
  }
  // A sum of whole numbers can overflow, which is an error; D1 returns a double anyway.
  return sql`${sql.raw(name)}(${name === 'sum' ? sql`cast(${value} as real)` : value})`
}
