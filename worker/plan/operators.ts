/** What each comparison means for a field of each kind. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import type { Comparison } from '../query/ast.ts'
import type { Field } from '../schema/entity.ts'
import { isNumber } from '../lib/lossless.ts'
import { KINDS, quotedValue } from '../schema/kinds.ts'
import { NEVER, type Predicate } from './plan.ts'
import { readPattern } from '../postgres/regex/regex.ts'

type Meaning = (field: Field, value: Json) => Predicate

const equals: Meaning = (field, value) => {
  if (field.storage.form === 'latest') {
    return { kind: 'latest', field, value: KINDS.truth.read(value, field.name) === 1 }
  }
  return value === null
    ? { kind: 'null', field, value: true }
    : { kind: 'equals', field, value: KINDS[field.kind].read(value, field.name) }
}

const ordered =
  (operator: '<' | '>' | '<=' | '>='): Meaning =>
  (field, value) => {
    const kind = KINDS[field.kind]
    if (!kind.ordered) {
      throw new QueryError(`Query operators >,>=,<,<= are not allowed on field ${field.name}`)
    }
    if (field.kind === 'number' && !isNumber(value)) {
      throw new QueryError(
        `Argument ${quotedValue(value)} and operator "${operator}" have incompatible types.`,
      )
    }
    return { kind: 'ordered', field, operator, value: Number(kind.read(value, field.name)) }
  }

const matches: Meaning = (field, value) => {
  if (!KINDS[field.kind].matched) {
    throw new QueryError(`Query operator ~ is not allowed on ${field.kind} field ${field.name}`)
  }
  // As in SQL; `=` alone asks for null itself.
  if (value === null) return NEVER
  if (typeof value !== 'string') {
    throw new QueryError(
      `Argument ${quotedValue(value)} is not a regular expression, which operator ~ takes on field ${field.name}.`,
    )
  }
  return { kind: 'matches', field, pattern: readPattern(value), text: value }
}

const matchesPath: Meaning = (field) => {
  throw new QueryError(`Query operator ~> is not allowed on field ${field.name}`)
}

export const COMPARISON_MEANINGS: Readonly<Record<Comparison, Meaning>> = {
  '=': equals,
  '<': ordered('<'),
  '>': ordered('>'),
  '<=': ordered('<='),
  '>=': ordered('>='),
  '~': matches,
  '~>': matchesPath,
}
