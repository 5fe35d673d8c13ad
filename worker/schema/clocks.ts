/**
 * What the clocks of a report allow the query planner to assume. A report's key is the master's clock; start
 * and end are the agent's, the time of arrival is ours. Nearly always they are close together, so a range of
 * one time implies a range of another. Reports whose clocks differ are flagged, and queried separately.
 */

import { HOUR, MINUTE } from '../lib/time.ts'

/** How far an agent's clock may be ahead of the master's and still count as right, in ms. */
const SKEW = MINUTE

/**
 * How far a time may lie before and after the key's, in ms, and the bit that flags a report beyond that.
 * The limit for arrivals is small because each page in order of arrival reads all reports within it;
 * a flag costs a late report two rows, and a punctual one none.
 */
export const CLOCKS = {
  start_time: { before: HOUR, behind: SKEW, bit: 1 },
  end_time: { before: HOUR, behind: SKEW, bit: 1 },
  producer_timestamp: { before: 0, behind: 0, bit: 1 },
  receive_time: { before: 30_000, behind: 30_000, bit: 2 },
} as const
export type ClockName = keyof typeof CLOCKS

interface Times {
  readonly startTime: number
  readonly endTime: number
  readonly producerTimestamp: number
  readonly receiveTime: number
}

/**
 * The bits that flag a report, times in ms. 1: the agent's clock is wrong; the database also sets it where the
 * key can't hold the producer timestamp. 2: the report came late.
 */
export function clockFlags({ startTime, endTime, producerTimestamp, receiveTime }: Times): number {
  const strays = (time: number, clock: ClockName): boolean =>
    time < producerTimestamp - CLOCKS[clock].before ||
    time > producerTimestamp + CLOCKS[clock].behind
  const agent =
    strays(startTime, 'start_time') || strays(endTime, 'end_time') || startTime > endTime
  const late = strays(receiveTime, 'receive_time')
  return (agent ? CLOCKS.start_time.bit : 0) + (late ? CLOCKS.receive_time.bit : 0)
}
