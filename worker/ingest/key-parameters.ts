/** The parameters by which statements of one batch foresee the report's key, and write nothing where it is stored already. */

import type { Report } from '../report/report.ts'
import { keyMillisecond } from '../schema/key.ts'
import { hashBytes } from '../sql/encoding.ts'
import type { Parameter } from '../sql/statement.ts'

/** ?1 the hash, for `unlessStored`; ?2 the millisecond of the key, for `freeKey`. */
export const keyParameters = ({ hash, producerTimestamp }: Report): Parameter[] => [
  hashBytes(hash),
  keyMillisecond(producerTimestamp),
]
