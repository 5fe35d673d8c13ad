/** Columns of times, decoded to the form that the API writes. */

import type { SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../lib/time.ts'
import type { Column } from '../sql/columns.ts'
import { keyMilliseconds } from '../sql/encoding.ts'

/** A time in ms. */
export const timestamp = (expression: SQL): Column<Timestamp, SQL> => ({
  expression,
  convert: formatTimestamp,
})

/** The producer timestamp of a report's key: exact but for times beyond the range of keys. */
export const keyTimestamp = (expression: SQL): Column<Timestamp, SQL> => ({
  expression,
  convert: (key: number) => formatTimestamp(keyMilliseconds(key)),
})
