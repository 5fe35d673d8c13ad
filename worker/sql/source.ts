/** The FROM clause of an entity: its base, with the joins that are needed and no others. */

import { getTableName, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Predicate, SelectPlan } from '../plan/plan.ts'
import type { Entity, Field } from '../schema/entity.ts'

/** The columns that a plan reads, which determine the joins. */
export function tablesRead(plan: SelectPlan): ReadonlySet<SQLiteTable> {
  const selectedFields = [...plan.columns, ...(plan.groups ?? [])].flatMap(
    ({ field }) => field ?? [],
  )
  const columns = [...selectedFields, ...plan.order.map(({ field }) => field)].flatMap(
    columnsSelected,
  )
  return new Set([...columns.map((column) => column.table), ...tablesOf(plan.where)])
}

/** The tables that a predicate reads at its own level. */
export const tablesOf = (where: Predicate): SQLiteTable[] =>
  fieldsTested(where)
    .flatMap(columnsOf)
    .map((column) => column.table)

const columnsOf = ({ storage }: Field): SQLiteColumn[] =>
  'column' in storage ? [storage.column] : []
const columnsSelected = (field: Field): SQLiteColumn[] =>
  field.storage.form === 'reference' && field.storage.joined
    ? [...columnsOf(field), field.storage.joined]
    : columnsOf(field)

/** The fields that a predicate tests at its own level. */
export function fieldsTested(where: Predicate): readonly Field[] {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms.flatMap(fieldsTested)
    case 'not':
      return fieldsTested(where.term)
    case 'always':
      return []
    case 'within':
      return where.fields
    default:
      return [where.field]
  }
}

/** The entity's base with the joins that are read; `source` stands in for the base's own rows. */
export function fromClause(
  entity: Entity,
  read: ReadonlySet<SQLiteTable>,
  source: SQL | null,
): SQL {
  const joins = entity.joins
    .filter(({ table }) => read.has(table))
    .map(
      ({ table, on: [one, other], optional }) =>
        sql` ${sql.raw(optional ? 'left join' : 'join')} ${table} on ${one} = ${other}`,
    )
  const base = source
    ? sql`${source} as ${sql.identifier(getTableName(entity.base))}`
    : sql`${entity.base}`
  return sql`${base}${sql.join(joins, sql``)}`
}
