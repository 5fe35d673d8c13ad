/** Comparisons of the producer timestamp as ranges of the key, so that they need no index of their own. */

import { sql, type SQL } from 'drizzle-orm'
import { FURTHEST_MOVE_MS, keyMillisecond, SLOTS } from '../schema/key.ts'
import type { Storage } from '../schema/storage.ts'

/** A whole number as SQL text: parameters are bound as REAL, which would lose the last digits of a key. */
const key = (milliseconds: number): SQL => sql.raw(String(milliseconds * SLOTS))

/**
 * `producer_timestamp operator value`. The range of keys finds the rows; the exact time, which stands
 * beside the key where the key can't hold it, decides.
 */
export function keyRange(
  { column, exact }: Extract<Storage, { form: 'key' }>,
  operator: '=' | '<' | '>' | '<=' | '>=',
  value: number,
): SQL {
  const from = sql`${column} >= ${key(keyMillisecond(Math.ceil(value)))}`
  const below = sql`${column} < ${key(keyMillisecond(Math.floor(value)) + FURTHEST_MOVE_MS)}`
  const test = sql`coalesce(${exact}, ${column} >> 10) ${sql.raw(operator)} ${value}`
  if (operator === '=') return sql`(${from} and ${below} and ${test})`
  return operator.startsWith('>') ? sql`(${from} and ${test})` : sql`(${below} and ${test})`
}
