/** Answers of D1, taken down once and given again: what is left of a page's time is the Worker's own. */

/** What one batch was answered, by its statements and their parameters. */
export type Answers = Map<string, unknown>

interface Prepared {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** The present stands in statements as times, hours and keys, and is another one when they are asked again. */
const keyOf = (statements: readonly Prepared[]): string =>
  JSON.stringify(statements.map(({ sql, params }) => [sql, params])).replaceAll(/\d{6,}/g, '#')

/** A binding that hands out what `answer` gives for a batch. */
function bindingOf(answer: (statements: readonly Prepared[]) => Promise<unknown>): D1Database {
  const prepare = (sql: string) => ({
    bind: (...params: unknown[]): Prepared => ({ sql, params }),
  })
  const batch = (statements: readonly unknown[]) => answer(statements as readonly Prepared[])
  const connection = { prepare, batch, getBookmark: () => null }
  return { ...connection, withSession: () => connection } as unknown as D1Database
}

/** Asks the database, and takes down what it answers. */
export const recording = (database: D1Database, answers: Answers): D1Database =>
  bindingOf(async (statements) => {
    const results = await database.batch(
      statements.map(({ sql, params }) => database.prepare(sql).bind(...params)),
    )
    answers.set(keyOf(statements), results)
    return results
  })

/**
 * Answers as was taken down, without a database.
 *
 * @param onAnswer told when a page has asked, and goes on with what it got
 */
export const replaying = (answers: Answers, onAnswer: () => void): D1Database =>
  bindingOf((statements) => {
    onAnswer()
    const results = answers.get(keyOf(statements))
    if (results === undefined) {
      throw new Error(`Nothing was taken down for ${keyOf(statements).slice(0, 500)}`)
    }
    return Promise.resolve(results)
  })

/** Settings of a Worker that anyone may ask. */
export const OPEN = { ACCESS: 'open', LOG_REQUESTS: 'off' } as const
