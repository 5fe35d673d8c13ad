/** Checks what the database contains: the things that a path names, or reports by their hashes. */

import { NotFound } from '../lib/errors.ts'
import { sql } from 'drizzle-orm'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { amongHashes, isHash } from '../sql/hash.ts'
import { hashBytes, hexOf } from '../sql/encoding.ts'
import { flag, select, selectText, text, typed } from '../sql/columns.ts'
import { reports } from '../schema/tables.ts'
import type { Parameter, TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** The kinds of things that a path can name. */
export type EntityKind = 'environment' | 'producer' | 'report' | 'node'

/** The column of each lookup; only whether there is a row matters. */
const FOUND = { found: flag('1') }
const lookup = (rows: string, params: readonly Parameter[]): TypedStatement<unknown> =>
  typed(FOUND, { sql: `select ${selectText(FOUND)} from ${rows}`, params })

const LOOKUPS: Readonly<Record<EntityKind, (name: string) => TypedStatement<unknown>>> = {
  environment: (name) => stringLookup(STRING_KINDS.environment, name),
  producer: (name) => stringLookup(STRING_KINDS.producer, name),
  report: (name) => lookup(`reports where ${isHash('hash', '?1')}`, [hashBytes(name)]),
  node: (name) => lookup('nodes where certname = ?1', [name]),
}

const stringLookup = (kind: number, name: string): TypedStatement<unknown> =>
  lookup('strings where kind = ?1 and value = ?2', [kind, name])

/** @throws NotFound for the first that is not stored */
export async function requireStored(
  database: Database,
  entities: readonly { readonly kind: EntityKind; readonly name: string }[],
): Promise<void> {
  const found = await database.batch(entities.map(({ kind, name }) => LOOKUPS[kind](name)))
  entities.forEach(({ kind, name }, index) => {
    if (found[index]!.length === 0) throw new NotFound(kind, name)
  })
}

const HASH = { hash: text(hexOf('hash')) }

/** The hashes, in hex digits, that stored reports have. */
export async function storedAmong(
  database: Database,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const [rows] = await database.batch([
    select(HASH, sql`from ${reports} where ${amongHashes(sql`${reports.hash}`, hashes)}`),
  ])
  return new Set(rows.map(({ hash }) => hash.toLowerCase()))
}
