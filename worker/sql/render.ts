/** Fragments → a statement that D1 accepts. */

import { Column, getTableName, Name, sql, SQL, StringChunk, Table } from 'drizzle-orm'
import { QueryError } from '../lib/errors.ts'
import { invariant } from '../lib/invariant.ts'
import { hexOfBytes, unhexOf } from './encoding.ts'
import { LONGEST_STATEMENT, LONGEST_VALUE, MOST_PARAMETERS } from './limits.ts'
import type { Parameter, Statement } from './statement.ts'

/**
 * The statement of a fragment.
 *
 * @throws QueryError where it, or one of its values, is larger than D1 accepts
 */
export function render(fragment: SQL): Statement {
  const statement = print(fragment)
  const fitting = statement.params.length > MOST_PARAMETERS ? packed(statement) : statement
  if (fitting.sql.length > LONGEST_STATEMENT) throw tooLong()
  for (const value of fitting.params) {
    if (
      typeof value === 'string' &&
      value.length > LONGEST_VALUE / 3 &&
      Buffer.byteLength(value) > LONGEST_VALUE
    ) {
      throw new QueryError(
        `A value of the query is too large: D1 takes ${LONGEST_VALUE} bytes, a list of values included.`,
      )
    }
  }
  return fitting
}

const tooLong = (): QueryError =>
  new QueryError(
    `The query is too long: it makes more than ${LONGEST_STATEMENT} bytes of SQL, which is all that D1 takes. A list of values belongs into ["in", field, ["array", […]]].`,
  )

/**
 * The text of a fragment and its parameters in order. Drizzle's own dialect writes the same
 * (render.test.ts), but takes ten times as long, which would be most of a query's time before it is sent.
 */
function print(fragment: SQL): Statement {
  const params: Parameter[] = []
  let text = ''
  const write = (chunk: unknown): void => {
    if (chunk instanceof SQL) {
      for (const piece of chunk.queryChunks) write(piece)
      return
    }
    if (chunk instanceof StringChunk)
      text += chunk.value.length === 1 ? chunk.value[0]! : chunk.value.join('')
    else if (chunk instanceof Column) text += `"${getTableName(chunk.table)}"."${chunk.name}"`
    else if (chunk instanceof Table) text += `"${getTableName(chunk)}"`
    else if (chunk instanceof Name) text += `"${chunk.value.replaceAll('"', '""')}"`
    else {
      params.push(chunk as Parameter)
      text += '?'
    }
    if (text.length > LONGEST_STATEMENT) throw tooLong()
  }
  write(fragment)
  return { sql: text, params }
}

/** A fragment without parameters that many statements contain, printed once. */
export function constant(fragment: SQL): SQL {
  const { sql: text, params } = print(fragment)
  invariant(params.length === 0, `${text} has no parameters`)
  return sql.raw(text)
}

/** More values than D1 binds are sent as one JSON array. SQLite extracts each once, before its loops. */
function packed({ sql: text, params }: Statement): Statement {
  let index = 0
  const pieces = text.split(/('(?:[^']|'')*')/)
  const unpacked = pieces.map((piece) =>
    piece.startsWith("'") ? piece : piece.replace(/\?/g, () => bound(params[index], index++)),
  )
  return { sql: unpacked.join(''), params: [JSON.stringify(params.map(portable))] }
}

const bound = (value: Parameter | undefined, index: number): string =>
  value instanceof Uint8Array ? unhexOf(`?1 ->> ${index}`) : `(?1 ->> ${index})`
const portable = (value: Parameter): string | number | null =>
  value instanceof Uint8Array ? hexOfBytes(value) : value

/**
 * Terms joined by and / or, as a balanced tree: SQLite limits expressions to 100 levels, and a flat chain
 * has as many levels as terms.
 */
export function balanced(operator: 'and' | 'or', terms: readonly SQL[]): SQL {
  if (terms.length === 1) return terms[0]!
  const middle = terms.length >> 1
  const halves = [
    balanced(operator, terms.slice(0, middle)),
    balanced(operator, terms.slice(middle)),
  ]
  return sql`(${sql.join(halves, sql.raw(` ${operator} `))})`
}

/** The rows of a list that is one parameter, in a column called `value`. */
export const listRows = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`
