/** SQL about the keys of reports (schema/key.ts). */

import { HOUR } from '../schema/clocks.ts'
import { SLOTS } from '../schema/key.ts'

/**
 * SQL for the key of a report that is about to be stored under the millisecond that parameter
 * `parameter` holds: the first free slot of the first millisecond that is not full. Numbers are
 * bound as REAL, hence the cast.
 */
export const freeKey = (parameter: string): string => `(
  WITH RECURSIVE slot (ms) AS (
    SELECT CAST(${parameter} AS INTEGER)
    UNION ALL
    SELECT ms + 1 FROM slot WHERE EXISTS (SELECT 1 FROM reports WHERE id = ms * ${SLOTS} + ${SLOTS - 1})
  )
  SELECT coalesce(
    (SELECT max(id) + 1 FROM reports WHERE id BETWEEN free.ms * ${SLOTS} AND free.ms * ${SLOTS} + ${SLOTS - 1}),
    free.ms * ${SLOTS}
  ) FROM (SELECT max(ms) AS ms FROM slot) free
)`

/** SQL for the exact producer timestamp of the row of `reports` that is called `alias`. */
export const producerTimestampOf = (alias: string): string =>
  `coalesce(${alias}.producer_timestamp, ${alias}.id >> 10)`

/** SQL for the hour of a time in ms, rounded down before 1970 too. */
export const hourOf = (milliseconds: string): string =>
  `CAST(floor((${milliseconds}) / ${HOUR}.0) AS INTEGER)`
