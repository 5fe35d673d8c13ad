/** Whether something that a path names has ever been told of. */

import { NotFound } from '../lib/errors.ts'
import { STRING_KINDS } from '../schema/tables.ts'
import { isHash } from '../sql/hash.ts'
import { hashBytes } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'

export type Thing = 'environment' | 'producer' | 'report' | 'node'

const LOOKUPS: Readonly<Record<Thing, (name: string) => Statement>> = {
  environment: (name) => word(STRING_KINDS.environment, name),
  producer: (name) => word(STRING_KINDS.producer, name),
  report: (name) => ({
    sql: `SELECT 1 AS c0 FROM reports WHERE ${isHash('hash', '?1')}`,
    params: [hashBytes(name)],
  }),
  node: (name) => ({ sql: 'SELECT 1 AS c0 FROM nodes WHERE certname = ?1', params: [name] }),
}

const word = (kind: number, name: string): Statement => ({
  sql: 'SELECT 1 AS c0 FROM strings WHERE kind = ?1 AND value = ?2',
  params: [kind, name],
})

/** @throws NotFound for the first of the things that nobody has told us of */
export async function requireKnown(
  database: Database,
  things: readonly { readonly thing: Thing; readonly name: string }[],
): Promise<void> {
  const found = await database.batch(things.map(({ thing, name }) => LOOKUPS[thing](name)))
  things.forEach(({ thing, name }, index) => {
    if (found[index]!.length === 0) throw new NotFound(thing, name)
  })
}
