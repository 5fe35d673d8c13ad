/** Plans a function call of a projection by the table of functions. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import type { FunctionColumn } from '../query/ast.ts'
import { fieldOf, type Entity, type Field } from '../schema/entity.ts'
import { FUNCTIONS, type FunctionName, type FunctionRule } from './functions.ts'
import type { PlanColumn } from './plan.ts'

/** The most characters of a mask: a date and a time take fewer than 50. */
export const LONGEST_MASK = 1000

const isFunction = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name)

/** Stands for an unknown field: PuppetDB counts none of it, and its minimum and maximum are null. */
const absent = (name: string): Field => ({
  name,
  kind: 'number',
  nullable: true,
  storage: { form: 'absent' },
  queryable: false,
  projectable: false,
})

/** The column of a function call. @throws QueryError for a wrong name, number or kind of arguments */
export function planFunction(entity: Entity, call: FunctionColumn): PlanColumn {
  const { name: called } = call
  if (!isFunction(called)) {
    throw new QueryError(
      `'${call.name}' is not a valid function.${suggestion(call.name, Object.keys(FUNCTIONS))}`,
    )
  }
  const rule: FunctionRule = FUNCTIONS[called]
  const [least, most] = rule.arity
  const [name, mask = null] = call.arguments
  if (call.arguments.length < least || call.arguments.length > most) {
    throw new QueryError(
      `wrong number of arguments (${call.arguments.length}) provided for function ${call.name}`,
    )
  }
  if (![name ?? '', mask ?? ''].every((argument) => typeof argument === 'string')) {
    throw new QueryError(`Arguments of function ${call.name} must be strings`)
  }
  const maskLength = typeof mask === 'string' ? mask.length : 0
  if (maskLength > LONGEST_MASK) {
    throw new QueryError(
      `The mask of ${call.name} has ${maskLength} characters; at most ${LONGEST_MASK} are allowed`,
    )
  }
  const field =
    name === undefined ? null : (fieldOf(entity, name as string) ?? absent(name as string))
  if (field && !rule.takes.includes(field.kind)) {
    throw new QueryError(`Function ${call.name} can't be of ${field.kind} field '${field.name}'`)
  }
  return {
    kind: 'function',
    name: call.name,
    function: called,
    field,
    mask: mask as string | null,
  }
}
