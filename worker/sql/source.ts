/** What rows are read from: an entity's base, with the joins that are needed and no others. */

import { getTableName, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Predicate, SelectPlan } from '../plan/plan.ts'
import type { Entity, Field } from '../schema/entities.ts'

/** The columns that a plan's fields are read from, which decides the joins. */
export function tablesRead(plan: SelectPlan): ReadonlySet<SQLiteTable> {
  const shown = [...plan.columns, ...(plan.groups ?? [])].flatMap(({ field }) => field ?? [])
  const columns = [...shown, ...plan.order.map(({ field }) => field)].flatMap(columnsShown)
  return new Set([...columns.map((column) => column.table), ...tablesAsked(plan.where)])
}

/** The tables that a predicate reads at its own level. */
export const tablesAsked = (where: Predicate): SQLiteTable[] =>
  fieldsAsked(where)
    .flatMap(columnsAsked)
    .map((column) => column.table)

const columnsAsked = ({ storage }: Field): SQLiteColumn[] =>
  'column' in storage ? [storage.column] : []
const columnsShown = (field: Field): SQLiteColumn[] =>
  field.storage.form === 'reference' && field.storage.joined
    ? [...columnsAsked(field), field.storage.joined]
    : columnsAsked(field)

/** The fields that a predicate asks at its own level. */
function fieldsAsked(where: Predicate): readonly Field[] {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms.flatMap(fieldsAsked)
    case 'not':
      return fieldsAsked(where.term)
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
