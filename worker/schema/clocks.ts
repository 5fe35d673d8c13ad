/**
 * What may be taken for granted of the times of a report. Its key is the master's clock; start and
 * end are the agent's, the time of arrival is ours. Nearly always they are near each other, and then
 * a range of one is found by a range of another; the reports that stray are marked, and asked apart.
 */

export const HOUR = 3_600_000

/** How far a time may be from the key's, in ms, and the bit that marks a report whose is farther. */
export const CLOCKS = {
  start_time: { window: HOUR, bit: 1 },
  end_time: { window: HOUR, bit: 1 },
  producer_timestamp: { window: 0, bit: 1 },
  receive_time: { window: 60_000, bit: 2 },
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
export function oddness({ startTime, endTime, producerTimestamp, receiveTime }: Times): number {
  const strays = (time: number, window: number): boolean =>
    Math.abs(time - producerTimestamp) > window
  const agent =
    strays(startTime, CLOCKS.start_time.window) ||
    strays(endTime, CLOCKS.end_time.window) ||
    startTime > endTime
  const late = strays(receiveTime, CLOCKS.receive_time.window)
  return (agent ? CLOCKS.start_time.bit : 0) + (late ? CLOCKS.receive_time.bit : 0)
}
