/**
 * What may be taken for granted of the times of a report. Its key is the master's clock; start and
 * end are the agent's, the time of arrival is ours. Nearly always they are near each other, and then
 * a range of one is found by a range of another; the reports that stray are marked, and asked apart.
 */

import { HOUR, MINUTE } from '../lib/time.ts'

/** An agent's clock that is ahead of the master's by so much still counts as right, in ms. */
const SKEW = MINUTE

/**
 * How far a time may lie before the key's and behind it, in ms, and the bit that marks a report whose is
 * farther. Arrivals are kept near because each page in their order reads all that came within these
 * times; marking costs a late report two rows more, and a punctual one none.
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
 * The bits that mark a report, times in ms. 1: the agent's clock strays (which is said too where the
 * key can't hold the producer timestamp, but that is known to the database alone). 2: it came late.
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
