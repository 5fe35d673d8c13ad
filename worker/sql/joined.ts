/** Several selects as one statement: D1 plans and answers each statement by itself, so a page of few statements is faster. */

import { MOST_COMPOUND_TERMS, MOST_PARAMETERS } from './limits.ts'
import type { Statement, StoredRow, TypedStatement } from './statement.ts'

/** A row of one of the selects, by its place among them. */
export interface JoinedRow {
  readonly part: number
  readonly row: unknown
}

/**
 * The statement that returns the rows of all selects, in no order. Null where they can't be joined: where they have too
 * many parameters for one, or number them. Values must be representable in JSON, so no BLOBs.
 */
export function joined(
  statements: readonly TypedStatement<unknown>[],
): TypedStatement<JoinedRow> | null {
  const params = statements.flatMap((statement) => statement.params)
  if (statements.length > MOST_COMPOUND_TERMS || params.length > MOST_PARAMETERS) return null
  if (statements.some(isNumbered)) return null
  const parts = statements.map(
    ({ sql, names }, part) =>
      `select ${part} as part, json_object(${names.map((name) => `'${name}', "${name}"`).join(', ')}) as row from (${sql})`,
  )
  return {
    sql: parts.join(' union all '),
    params,
    names: ['part', 'row'],
    decode: ({ part, row }) => ({
      part: part as number,
      row: statements[part as number]!.decode(JSON.parse(row as string) as StoredRow),
    }),
  }
}

const isNumbered = ({ sql }: Statement): boolean => /\?\d/.test(sql)
