/** Query → plan of rows or groups: projection, groups, order, limit and offset; and of rows that are among the rows of another query. */

import { QueryError } from '../lib/errors.ts'
import {
  WHOLE_ENTITY,
  type Filter,
  type QueryColumn,
  type Query,
  type SortKey,
} from '../query/ast.ts'
import type { Entity, Field } from '../schema/entity.ts'
import { relationOf } from '../schema/relations.ts'
import { allOf, planRowPolicy, planFilter } from './filter.ts'
import { planFunction } from './function-call.ts'
import { agentReportsOnly, elideAny } from './implicit.ts'
import { entityNamed, projectedFields, queryableField, sortableField } from './names.ts'
import {
  NEVER,
  type PlanColumn,
  type RowPolicy,
  type Order,
  type Predicate,
  type SelectPlan,
} from './plan.ts'

export interface SelectOptions {
  /** Which fields may be projected: a subquery allows fewer than a whole query. */
  readonly projects: (field: Field) => boolean
  /** Whether rows use a field's old name (`puppet_version`). */
  readonly legacyNames: boolean
  /** The rows that the reader may see, here and in every subquery; null for all. */
  readonly rowPolicy: RowPolicy | null
}

/**
 * Plans one level of a query.
 *
 * @throws QueryError for unknown names, values of the wrong kind, and columns that are neither grouped nor aggregated
 */
export function planSelect(entity: Entity, query: Query, options: SelectOptions): SelectPlan {
  refuseMany(query.columns, 'columns')
  refuseMany(query.groupBy, 'terms in group_by')
  const written = entity.name === 'reports' ? agentReportsOnly(query.filter) : query.filter
  const columns = planColumns(entity, query.columns, options)
  const groups = planGroups(entity, query.groupBy, columns, options)
  const order = onceEach((query.paging.orderBy ?? []).map((key) => planOrder(entity, key)))
  if (groups) refuseUngrouped([...columns, ...order], groups)
  return {
    kind: 'select',
    entity,
    columns,
    where: allOf(
      planFilter(entity, elideAny(written), options.rowPolicy),
      planRowPolicy(entity, options.rowPolicy),
    ),
    groups,
    order,
    limit: query.paging.limit,
    offset: query.paging.offset ?? 0,
    distinct: null,
  }
}

/** The most columns of a select, and terms of its GROUP BY, that D1 accepts. */
const MOST_COLUMNS = 100

function refuseMany(named: readonly QueryColumn[] | null, what: string): void {
  if (named && named.length > MOST_COLUMNS) {
    throw new QueryError(`The query has too many ${what}: D1 takes ${MOST_COLUMNS}.`)
  }
}

function planColumns(
  entity: Entity,
  named: readonly QueryColumn[] | null,
  options: SelectOptions,
): readonly PlanColumn[] {
  const projected: readonly QueryColumn[] =
    named && named.length > 0
      ? named
      : entity.fields.filter(options.projects).map((field) => ({ kind: 'field', name: field.name }))
  const names = projected.flatMap((column) => (column.kind === 'field' ? [column.name] : []))
  const fields = projectedFields(entity, names, options.projects).values()
  const columns = projected.map((column): PlanColumn => {
    if (column.kind === 'function') return planFunction(entity, column)
    const field = fields.next().value!
    return { kind: 'field', name: answeredAs(field, options), field }
  })
  return numbered(columns)
}

const answeredAs = (field: Field, options: SelectOptions): string =>
  options.legacyNames ? (field.alias ?? field.name) : field.name

/** Numbers repeated names: `name`, `name_2`. */
function numbered(columns: readonly PlanColumn[]): PlanColumn[] {
  const seen = new Map<string, number>()
  return columns.map((column) => {
    const times = (seen.get(column.name) ?? 0) + 1
    seen.set(column.name, times)
    return times === 1 ? column : { ...column, name: `${column.name}_${times}` }
  })
}

const isAggregate = (column: PlanColumn): boolean =>
  column.kind === 'function' && column.function !== 'to_string'

/** The columns that make a group; null without groups. */
function planGroups(
  entity: Entity,
  named: readonly QueryColumn[] | null,
  columns: readonly PlanColumn[],
  options: SelectOptions,
): readonly PlanColumn[] | null {
  if (named) {
    return named.map((column) =>
      column.kind === 'function'
        ? planFunction(entity, column)
        : groupedField(entity, column.name, options),
    )
  }
  return columns.some(isAggregate) ? [] : null
}

function groupedField(entity: Entity, name: string, options: SelectOptions): PlanColumn {
  const [field] = projectedFields(entity, [name], options.projects)
  if (field!.kind === 'expanded') {
    throw new QueryError(`'${name}' can't be grouped by: it is a list`)
  }
  return { kind: 'field', name, field: field! }
}

/** Whether two columns have the same value in every row. */
export const sameColumn = (one: PlanColumn, other: PlanColumn): boolean =>
  one.kind === other.kind &&
  one.field === other.field &&
  (one.kind === 'field' ||
    (other.kind === 'function' && one.function === other.function && one.mask === other.mask))

function refuseUngrouped(
  used: readonly (PlanColumn | Order)[],
  groups: readonly PlanColumn[],
): void {
  for (const one of used) {
    const column: PlanColumn =
      'direction' in one ? { kind: 'field', name: one.field.name, field: one.field } : one
    if (isAggregate(column) || groups.some((group) => sameColumn(group, column))) continue
    throw new QueryError(
      `Column '${column.name}' must appear in 'group_by' or be used in an aggregate function`,
    )
  }
}

/** Drops a field that an earlier key already sorts by. */
function onceEach(order: readonly Order[]): readonly Order[] {
  const first = new Map<Field, Order>()
  for (const one of order) if (!first.has(one.field)) first.set(one.field, one)
  return [...first.values()]
}

const planOrder = (entity: Entity, { field, direction }: SortKey): Order => ({
  field: sortableField(entity, field),
  direction,
})

/** Kinds whose values can be compared. Booleans are numbers in SQL, but never to the client. */
const comparable = (one: Field, other: Field): boolean => one.kind === other.kind

/** `in`: the fields, as a tuple, are a row of the subquery. */
export function rowsWithin(
  fields: readonly Field[],
  query: Query,
  rowPolicy: RowPolicy | null,
): Predicate {
  const entity = entityNamed(query.entity ?? '')
  if (entity === null) return NEVER
  const select = planSelect(entity, query, {
    projects: (field) => field.queryable && field.projectable,
    legacyNames: false,
    rowPolicy,
  })
  if (select.columns.length !== fields.length) {
    throw new QueryError(
      `'in' compares ${fields.length} ${fields.length === 1 ? 'field' : 'fields'} with ${select.columns.length} of its subquery`,
    )
  }
  fields.forEach((field, index) => {
    const column = select.columns[index]!
    if (column.kind === 'field' && !comparable(field, column.field)) {
      throw new QueryError(
        `'in' can't compare ${field.kind} field ${field.name} with ${column.field.kind} field ${column.field.name}`,
      )
    }
  })
  return { kind: 'within', fields, select }
}

/** `["subquery", name, filter]`: the rows that are related to rows of another entity. */
export function relatedRows(
  outer: Entity,
  name: string,
  filter: Filter | null,
  rowPolicy: RowPolicy | null,
): Predicate {
  const relation = relationOf(outer.name, name)
  const inner = entityNamed(name)
  if (relation === null) throw new QueryError(`No implicit relationship for entity '${name}'`)
  if (inner === null) return NEVER
  const [local, foreign] = relation
  const columns = [{ kind: 'field', name: foreign }] as const
  const query: Query = { ...WHOLE_ENTITY, entity: name, columns, filter }
  return rowsWithin([queryableField(outer, local)], query, rowPolicy)
}
