/** Reports as they are where each came when it was made: what a benchmark loads comes late, and then clocks are looked into. */

import { CLOCKS } from '../worker/schema/clocks.ts'

/** How long after its time a report is received. */
export const ON_ITS_WAY_MS = 1500

/** SQL that lets each report have come when it was made. */
export const COME_ON_TIME = `update reports set receive_time = (id >> 10) + ${ON_ITS_WAY_MS},
  clock_flags = clock_flags & ~${CLOCKS.receive_time.bit} where producer_timestamp is null`
