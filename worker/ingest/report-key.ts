/** Computes the key of a report that is about to be stored. Each statement of its batch computes it for itself. */

import type { Report } from '../report/report.ts'
import { keyMillisecond } from '../schema/key.ts'
import { firstKeyOf, integerOf, lastKeyOf } from '../sql/encoding.ts'
import type { Parameter } from '../sql/statement.ts'
import { identityParameter } from '../store/identity.ts'

/** ?1 the identity, for `unlessStored`; ?2 the millisecond of the key, for `freeKey`. */
export const keyParameters = (report: Report): Parameter[] => [
  identityParameter(report),
  keyMillisecond(report.producerTimestamp),
]

/**
 * SQL for the key of a report that is about to be stored, from the millisecond in `parameter`: the first free
 * slot of the first millisecond that is not full.
 */
export const freeKey = (parameter: string): string => `(
  with recursive slot (ms) as (
    select ${integerOf(parameter)}
    union all
    select ms + 1 from slot where exists (select 1 from reports where id = ${lastKeyOf('ms')})
  )
  select coalesce(
    (select max(id) + 1 from reports where id between ${firstKeyOf('free.ms')} and ${lastKeyOf('free.ms')}),
    ${firstKeyOf('free.ms')}
  ) from (select max(ms) as ms from slot) free
)`
