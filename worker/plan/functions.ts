/** Functions that a projection may call. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import type { FunctionColumn } from '../query/ast.ts'
import { fieldOf, type Entity, type Field } from '../schema/entities.ts'
import type { KindName } from '../schema/kinds.ts'
import type { Column } from './plan.ts'

interface FunctionRule {
  /** Least and most numbers of arguments. */
  readonly arity: readonly [number, number]
  /** Kinds of fields it can be of. */
  readonly takes: readonly KindName[]
}

const NUMBERS: readonly KindName[] = ['number']
const SORTABLE: readonly KindName[] = ['number', 'timestamp', 'string']
const ANY: readonly KindName[] = [...SORTABLE, 'boolean', 'path', 'value']

export const FUNCTIONS = {
  count: { arity: [0, 1], takes: ANY },
  avg: { arity: [1, 1], takes: NUMBERS },
  sum: { arity: [1, 1], takes: NUMBERS },
  min: { arity: [1, 1], takes: SORTABLE },
  max: { arity: [1, 1], takes: SORTABLE },
  to_string: { arity: [2, 2], takes: ['timestamp', 'number'] },
} as const satisfies Readonly<Record<string, FunctionRule>>

export type FunctionName = keyof typeof FUNCTIONS

const isFunction = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name)

/** A field that is not there: PuppetDB counts none of it, and finds neither a least nor a greatest. */
const absent = (name: string): Field => ({
  name,
  kind: 'number',
  storage: { form: 'absent' },
  queryable: false,
  projectable: false,
})

/** The column that a function call makes. @throws QueryError for a wrong name, number or kind of arguments */
export function planFunction(entity: Entity, call: FunctionColumn): Column {
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
