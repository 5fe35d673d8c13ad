/** Hooks: rules with the addresses that are told. */

import type { Rule, Transition } from '../schema/transitions.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'

export interface Hook extends Rule {
  readonly name: string
  readonly url: string
  readonly origin: string
  /** In ms, as `cursor`. */
  readonly created: number
  readonly cursor: number
}

const READ =
  'SELECT name, transition, hours, filter, url, origin, created, cursor, cause FROM hooks ORDER BY name'

/** All hooks, by name; their secrets stay where they are. */
export const hooksStatement = (): Statement => ({ sql: READ, params: [] })

export const hooksOf = (rows: readonly Row[]): Hook[] =>
  rows.map(([name, transition, hours, filter, url, origin, created, cursor, cause]) => ({
    name: name as string,
    transition: transition as Transition,
    hours: hours as number,
    filter: filter as string,
    url: url as string,
    origin: origin as string,
    created: created as number,
    cursor: cursor as number,
    cause: cause as string,
  }))

export async function readHooks(database: Database): Promise<Hook[]> {
  const [rows] = await database.batch([hooksStatement()])
  return hooksOf(rows!)
}

const SAVE = `INSERT INTO hooks (name, transition, hours, filter, url, origin, secret, created, cursor, cause)
VALUES (?1, ?2, CAST(?3 AS INTEGER), ?4, ?5, ?6, ?7, CAST(?8 AS INTEGER), CAST(?8 AS INTEGER), ?9) ON CONFLICT (name) DO NOTHING RETURNING 1`

/** Saves a new hook, which tells of what arrives from then on. @returns false where one has the name */
export async function saveHook(
  database: Database,
  hook: Omit<Hook, 'cursor'>,
  secret: string,
): Promise<boolean> {
  const { name, transition, hours, filter, url, origin, created, cause } = hook
  const params = [name, transition, hours, filter, url, origin, secret, created, cause]
  const [rows] = await database.batch([{ sql: SAVE, params }])
  return rows!.length > 0
}

/** Whether reports have ever had a cause of that name. */
export async function isCause(database: Database, name: string): Promise<boolean> {
  const [rows] = await database.batch([
    { sql: 'SELECT 1 AS c0 FROM causes WHERE name = ?1', params: [name] },
  ])
  return rows!.length > 0
}

/** Forgets a hook with its messages. @returns whether there was one */
export async function forgetHook(database: Database, name: string): Promise<boolean> {
  const [, rows] = await database.batch([
    { sql: 'DELETE FROM deliveries WHERE hook = ?1', params: [name] },
    { sql: 'DELETE FROM hooks WHERE name = ?1 RETURNING 1', params: [name] },
  ])
  return rows!.length > 0
}

/** ?1 hook, ?2 from, ?3 to: only whoever has seen where it stood moves it. */
export const moveCursor = (name: string, from: number, to: number): Statement => ({
  sql: 'UPDATE hooks SET cursor = CAST(?3 AS INTEGER) WHERE name = ?1 AND cursor = CAST(?2 AS INTEGER)',
  params: [name, from, to],
})
