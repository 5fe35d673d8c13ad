/** Clauses: the lists of the JSON syntax whose first element names an operator, and how error messages quote them. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isNumber } from '../lib/lossless.ts'

export type Clause = readonly Json[]

/** The deepest nesting of lists, objects and parentheses in a query. Real queries stay below twenty. */
export const MAX_NESTING = 300

const MAX_QUOTED = 400

export const isClause = (value: Json | undefined): value is Clause => Array.isArray(value)

/** The operator's name, or null where the clause doesn't begin with a string. */
export function operatorOf(clause: Clause): string | null {
  const [name] = clause
  return typeof name === 'string' ? name : null
}

/** A value as PuppetDB writes it in messages, `["=" "certname" "a"]`, cut where it gets long. */
export function quote(value: Json): string {
  const text = written(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)} …` : text
}

function written(value: Json): string {
  if (value === null) return 'nil'
  if (isClause(value)) return `[${value.map(written).join(' ')}]`
  if (isNumber(value)) return String(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, held]) => `${JSON.stringify(key)} ${written(held)}`,
  )
  return `{${entries.join(', ')}}`
}

export const nestingError = () =>
  new QueryError(`The query nests too deep: more than ${MAX_NESTING} levels are not supported.`)
