/** Databases that are not as they should be, or are looked at while they work. */

import { env } from 'cloudflare:workers'
import type { Parameter, Statement } from '../../worker/sql/statement.ts'

type Batch = (
  send: () => Promise<D1Result<unknown>[]>,
  statements: number,
) => Promise<D1Result<unknown>[]>

type Connection = D1Database | D1DatabaseSession

/** The database as `wrap` makes its connections, in a session and without; to the Worker it is one it has never seen. */
const wrapped = (wrap: (connection: Connection) => object): D1Database =>
  ({
    ...wrap(env.DB),
    withSession(constraintOrBookmark?: string) {
      const session = env.DB.withSession(constraintOrBookmark)
      return { ...wrap(session), getBookmark: () => session.getBookmark() }
    },
  }) as unknown as D1Database

/** The database with something around each batch, and with each statement as `rewrite` has it. */
export const around = (batch: Batch, rewrite: (sql: string) => string = (sql) => sql): D1Database =>
  wrapped((connection) => ({
    prepare: (sql: string) => connection.prepare(rewrite(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      batch(() => connection.batch(statements), statements.length),
  }))

/** A database that fails with the messages in turn, one a batch, and then works; counts what it was asked. */
export function failing(...messages: string[]): { database: D1Database; batches: () => number } {
  let batches = 0
  const database = around((send) => {
    const message = messages[batches++]
    return message === undefined ? send() : Promise.reject(new Error(message))
  })
  return { database, batches: () => batches }
}

/** The database, and how many characters of JSON its parameters have been so far, which is how they travel. */
export function weighing(): { database: D1Database; characters: () => number } {
  let characters = 0
  const database = wrapped((connection) => ({
    prepare(sql: string) {
      const statement = connection.prepare(sql)
      return {
        bind(...params: unknown[]) {
          const encoded = params.map((one) => (one instanceof Uint8Array ? [...one] : one))
          characters += JSON.stringify(encoded).length
          return statement.bind(...params)
        },
      }
    },
    batch: (statements: D1PreparedStatement[]) => connection.batch(statements),
  }))
  return { database, characters: () => characters }
}

/** The database, and how many batches it has been sent. */
export const counting = (): { database: D1Database; batches: () => number } => failing()

/** The database, and each statement that it has been sent. */
export function recording(): { database: D1Database; statements: Statement[] } {
  const statements: Statement[] = []
  const database = wrapped((connection) => ({
    prepare: (sql: string) => ({
      bind(...params: Parameter[]) {
        statements.push({ sql, params })
        return connection.prepare(sql).bind(...params)
      },
    }),
    batch: (prepared: D1PreparedStatement[]) => connection.batch(prepared),
  }))
  return { database, statements }
}

let plans = 0

/** SQLite's plan of a statement as the schema is now, line by line. */
export async function planOf({ sql, params }: Statement): Promise<string[]> {
  // A text that workerd has compiled before is not compiled anew for a plan, whatever has become of the schema.
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql} -- ${++plans}`)
    .bind(...params)
    .all<{ detail: string }>()
  return results.map(({ detail }) => detail)
}
