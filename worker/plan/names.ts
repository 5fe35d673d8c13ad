/** Names → entities and fields, and the errors for unknown names. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { EMPTY_ENTITIES, ENTITIES } from '../schema/entities.ts'
import { fieldOf, type Entity, type Field } from '../schema/entity.ts'

const quoted = (name: string): string => `'${name}'`

/** `'a', 'b' and 'c'` */
const listed = (names: readonly string[]): string =>
  names.length < 2
    ? names.map(quoted).join('')
    : `${names.slice(0, -1).map(quoted).join(', ')} and ${quoted(names.at(-1)!)}`

type NameOf = (field: Field) => string
const currentName: NameOf = ({ name }) => name
const legacyName: NameOf = ({ alias, name }) => alias ?? name

/** An error whose sentences list fields, by their names and by those that rows have where they have legacy ones. */
export class FieldError extends QueryError {
  constructor(
    message: string,
    readonly inLegacyNames: string,
  ) {
    super(message)
  }
}

const fieldError = (say: (nameOf: NameOf) => string): FieldError =>
  new FieldError(say(currentName), say(legacyName))

/** The entity of that name; null for a known entity that is not stored. @throws QueryError for an unknown one */
export function entityNamed(name: string): Entity | null {
  const entity = ENTITIES.get(name)
  if (entity) return entity
  if (EMPTY_ENTITIES.has(name)) return null
  throw new QueryError(
    `Invalid entity '${name}' in query.${suggestion(name, [...ENTITIES.keys(), ...EMPTY_ENTITIES])}`,
  )
}

/** The field that a filter names. @throws QueryError that lists the entity's fields and names the nearest */
export function queryableField(entity: Entity, name: string): Field {
  const field = fieldOf(entity, name)
  if (field?.queryable) return field
  throw fieldError((nameOf) => {
    const queryable = entity.fields
      .filter((one) => one.queryable)
      .map(nameOf)
      .sort()
    return `'${name}' is not a queryable object for ${entity.name}. Known queryable objects are ${listed(queryable)}.${suggestion(name, queryable)}`
  })
}

/** The fields that an `extract` names, of those that `allows` accepts. */
export function projectedFields(
  entity: Entity,
  names: readonly string[],
  allows: (field: Field) => boolean,
): Field[] {
  const fields = names.map((name) => fieldOf(entity, name))
  const unknown = names.filter((_, index) => !fields[index] || !allows(fields[index]))
  if (unknown.length > 0) {
    throw fieldError((nameOf) => {
      const acceptable = entity.fields.filter(allows).map(nameOf)
      return `Can't extract unknown '${entity.name}' ${unknown.length > 1 ? 'fields' : 'field'} ${listed(unknown)}. Acceptable fields are ${listed(acceptable)}.${suggestion(unknown[0]!, acceptable)}`
    })
  }
  return fields as Field[]
}

/** The fields on the left of `in` with a subquery. @throws QueryError that names every one that can't be there */
export function matchedFields(entity: Entity, names: readonly string[]): Field[] {
  const unknown = names.filter((name) => !fieldOf(entity, name)?.queryable)
  if (unknown.length > 0) {
    throw fieldError((nameOf) => {
      const acceptable = entity.fields
        .filter((one) => one.queryable)
        .map(nameOf)
        .sort()
      return `Can't match on unknown '${entity.name}' ${unknown.length > 1 ? 'fields' : 'field'} ${listed(unknown)} for 'in'. Acceptable fields are ${listed(acceptable)}.${suggestion(unknown[0]!, acceptable)}`
    })
  }
  return names.map((name) => fieldOf(entity, name)!)
}

/** The field that `order_by` names. */
export function sortableField(entity: Entity, name: string): Field {
  const field = fieldOf(entity, name)
  if (field?.queryable && field.projectable) return field
  throw fieldError((nameOf) => {
    const queryable = entity.fields.filter((one) => one.queryable && one.projectable).map(nameOf)
    return `Unrecognized column '${name}' specified in :order_by; Supported columns are ${queryable.map(quoted).join(', ')}.${suggestion(name, queryable)}`
  })
}

/** The sentence of what is wrong with a query, by the names that its rows have. */
export const complaintOf = (error: QueryError, legacyNames: boolean): string =>
  legacyNames && error instanceof FieldError ? error.inLegacyNames : error.message
