/** Times of keys. */

import { formatTimestamp } from '../lib/time.ts'
import { SLOTS } from '../schema/key.ts'

/** The producer timestamp that a report's key says, which is exact but for times beyond the key's range. */
export const momentOf = (key: number): string => formatTimestamp(Math.floor(key / SLOTS))

/** As `momentOf`; null for null. */
export const momentOrNull = (key: unknown): string | null =>
  key === null ? null : momentOf(key as number)
