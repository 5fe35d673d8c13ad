/** The order of rows, and the position in it at which a page begins. */

import { sql, type SQL } from 'drizzle-orm'
import { invariant } from '../lib/invariant.ts'
import type { Order } from '../plan/plan.ts'
import type { Entity, Field } from '../schema/entity.ts'
import { literal } from './encoding.ts'
import { balanced } from './render.ts'
import type { Parameter } from './statement.ts'
import { valueOf } from './values.ts'

/** A value that rows are ordered by. */
export interface Position {
  /** The value's name in a row of a page (page.ts), which no field has. */
  readonly name: string
  readonly value: SQL
  readonly direction: 'asc' | 'desc'
  /** Where nulls are: nowhere, after all values as PostgreSQL sorts ascending, or before them as SQLite does. */
  readonly nulls: 'never' | 'last' | 'first'
}

/** The values that the last row of a page is ordered by. */
export type After = readonly Parameter[]

/** The order of a query on rows of `entity`; of groups, whose rows have several keys, by the values alone. */
export const sortPositions = (
  entity: Entity,
  order: readonly Order[],
  of: 'rows' | 'groups' = 'rows',
): Position[] =>
  order.map(({ field, direction }) => ({
    name: `order.${field.name}`,
    value: sortValue(field, of === 'rows' && order.length === 1),
    direction,
    nulls: neverNull(entity, field) ? 'never' : 'last',
  }))

/** Producer timestamps are ordered as keys are, unless a further field orders equal times. */
function sortValue(field: Field, isOnlyKey: boolean): SQL {
  const { storage } = field
  if (storage.form === 'key' && isOnlyKey) return sql`${storage.column}`
  return storage.form === 'path' ? pathOrder(valueOf(field, true)) : valueOf(field, true)
}

/** A column of the base that is not null; a joined column is null where the join finds no row. */
const neverNull = (entity: Entity, { storage }: Field): boolean =>
  storage.form === 'key' ||
  (storage.form === 'plain' && storage.column.notNull && storage.column.table === entity.base)

/** PostgreSQL sorts lists element by element, the shorter first where it begins the longer. */
const pathOrder = (path: SQL): SQL =>
  sql`iif(${path} is null, null, (select coalesce(group_concat(char(1) || value, ''), '') from json_each(${path})))`

/** The order of an entity's key, in which no two rows are equal. */
export const keyPosition = (entity: Entity, direction = entity.keyDirection): Position[] =>
  entity.key.map((column) => ({
    name: `key.${column.name}`,
    value: sql`${column}`,
    direction,
    nulls: 'never',
  }))

/** PostgreSQL sorts nulls after all values ascending, before them descending; SQLite the other way round. */
const orderTerm = ({ value, direction, nulls }: Position): SQL =>
  direction === 'asc'
    ? sql`${value} asc${nulls === 'last' ? sql` nulls last` : sql``}`
    : sql`${value} desc${nulls === 'last' ? sql` nulls first` : sql``}`

export const orderClause = (position: readonly Position[]): SQL =>
  position.length === 0 ? sql`` : sql` order by ${sql.join(position.map(orderTerm), sql`, `)}`

/**
 * Rows after a position in the order: after it in the first half, or equal there and after it in the
 * second. Halves, because SQLite allows an expression 100 levels, and an order may have some twenty keys.
 */
export function behind(position: readonly Position[], after: After): SQL {
  invariant(position.length > 0, 'rows have a position')
  if (position.length === 1) return furtherThan(position[0]!, after[0]!)
  const middle = position.length >> 1
  const [first, second] = [position.slice(0, middle), position.slice(middle)]
  const equal = balanced(
    'and',
    first.map(({ value }, index) => sql`${value} is ${bound(after[index]!)}`),
  )
  const later = behind(second, after.slice(middle))
  return sql`(${behind(first, after)} or (${equal} and ${later}))`
}

function furtherThan({ value, direction, nulls }: Position, last: Parameter): SQL {
  if (direction === 'asc') {
    if (last === null) return nulls === 'first' ? sql`${value} is not null` : sql`0`
    const greater = sql`${value} > ${bound(last)}`
    return nulls === 'last' ? sql`(${greater} or ${value} is null)` : greater
  }
  return last === null ? sql`${value} is not null` : sql`${value} < ${bound(last)}`
}

/** Keys are whole numbers beyond what REAL, as which numbers are bound, compares exactly with text. */
const bound = (value: Parameter): SQL =>
  typeof value === 'number' && Number.isInteger(value) ? literal(value) : sql`${value}`
