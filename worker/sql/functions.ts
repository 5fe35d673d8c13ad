/** The functions of a projection in SQL. */

import { sql, type SQL } from 'drizzle-orm'
import { invariant } from '../lib/invariant.ts'
import type { Column } from '../plan/plan.ts'
import type { Field } from '../schema/entities.ts'
import { numberText, timestampText } from './to-char.ts'
import { valueOf } from './values.ts'

type FunctionColumn = Extract<Column, { kind: 'function' }>

const aggregate =
  (name: string) =>
  (field: Field): SQL =>
    sql`${sql.raw(name)}(${valueOf(field, true)})`

const AGGREGATES: Readonly<Record<string, (field: Field) => SQL>> = {
  count: aggregate('count'),
  avg: aggregate('avg'),
  sum: aggregate('sum'),
  min: aggregate('min'),
  max: aggregate('max'),
}

/** What a function makes of its field; of none, a count of rows. */
export function functionValue({ function: name, field, mask }: FunctionColumn): SQL {
  if (field === null) return sql`count(*)`
  if (name === 'to_string') {
    const text = field.kind === 'timestamp' ? timestampText : numberText
    return text(valueOf(field, true), mask ?? '')
  }
  const make = AGGREGATES[name]
  invariant(make, `function ${name} has SQL`)
  return make(field)
}
