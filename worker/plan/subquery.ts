/** Subqueries: rows that are among the rows of another query. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { WHOLE_ENTITY, type Filter, type Query } from '../query/ast.ts'
import { EMPTY_ENTITIES, ENTITIES, type Entity, type Field } from '../schema/entities.ts'
import { relationOf } from '../schema/relations.ts'
import { queryableField } from './names.ts'
import { NEVER, type RowPolicy, type Predicate } from './plan.ts'
import { planSelect } from './select.ts'

/** The entity of that name; null for a known entity that is not stored. @throws QueryError for an unknown one */
export function entityNamed(name: string): Entity | null {
  const entity = ENTITIES.get(name)
  if (entity) return entity
  if (EMPTY_ENTITIES.has(name)) return null
  throw new QueryError(
    `Invalid entity '${name}' in query.${suggestion(name, [...ENTITIES.keys(), ...EMPTY_ENTITIES])}`,
  )
}

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
