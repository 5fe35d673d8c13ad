/** A fake D1 binding that passes whole batches to a function for the answers. */

import type { Parameter, Statement } from '../worker/sql/statement.ts'

export function bindingOf(
  answer: (statements: readonly Statement[]) => Promise<unknown>,
): D1Database {
  const prepare = (sql: string) => ({
    bind: (...params: Parameter[]): Statement => ({ sql, params }),
  })
  const batch = (statements: readonly unknown[]) => answer(statements as readonly Statement[])
  const connection = { prepare, batch, getBookmark: () => null }
  return { ...connection, withSession: () => connection } as unknown as D1Database
}

/** Answers of an empty database, which has a generation: the last statement of a batch reads it. */
export const emptyAnswers = (statements: readonly Statement[]) =>
  statements.map((_, index) => ({
    success: true,
    meta: {},
    results: index < statements.length - 1 ? [] : [{ number: 1, token: '', known: 1 }],
  }))

/** Settings of an open Worker, which needs no credentials. */
export const OPEN = { ACCESS: 'open', LOG_REQUESTS: 'off' } as const
