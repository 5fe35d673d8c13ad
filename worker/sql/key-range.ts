/** Comparisons of the producer timestamp as ranges of the key, so that they need no index of their own. */

import { sql, type SQL } from 'drizzle-orm'
import { FURTHEST_MOVE_MS, keyMillisecond } from '../schema/key.ts'
import type { Storage } from '../schema/storage.ts'
import { firstKey, literal, producerTimestamp } from './encoding.ts'

/**
 * `producer_timestamp operator value`. The range of keys finds the rows; the exact time, which is stored
 * beside the key where the key can't hold it, decides.
 */
export function keyRange(
  storage: Extract<Storage, { form: 'key' }>,
  operator: '=' | '<' | '>' | '<=' | '>=',
  value: number,
): SQL {
  const { column, exact } = storage
  const from = sql`${column} >= ${literal(firstKey(keyMillisecond(Math.ceil(value))))}`
  const below = sql`${column} < ${literal(firstKey(keyMillisecond(Math.floor(value)) + FURTHEST_MOVE_MS))}`
  const test = sql`${producerTimestamp(exact, column)} ${sql.raw(operator)} ${value}`
  if (operator === '=') return sql`(${from} and ${below} and ${test})`
  return operator.startsWith('>') ? sql`(${from} and ${test})` : sql`(${below} and ${test})`
}
