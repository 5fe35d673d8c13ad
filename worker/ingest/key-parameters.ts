/** The parameters by which statements of one batch foresee the report's key, and write nothing where it is stored already. */

import type { Report } from '../report/report.ts'
import { keyMillisecond } from '../schema/key.ts'
import type { Parameter } from '../sql/statement.ts'
import { identityParameter } from '../store/identity.ts'

/** ?1 the identity, for `unlessStored`; ?2 the millisecond of the key, for `freeKey`. */
export const keyParameters = (report: Report): Parameter[] => [
  identityParameter(report),
  keyMillisecond(report.producerTimestamp),
]
