/** Runs by time and state. */

import { formatTimestamp } from '../lib/time.ts'
import { HOUR } from '../schema/clocks.ts'
import { decodeState, STATES, type StateName } from '../schema/states.ts'
import type { Row } from '../store/database.ts'
import { deploysStatement, timelineStatement } from '../store/insight/timeline.ts'
import type { Asked } from './asked.ts'
import { bucketsOf } from './buckets.ts'
import { BUCKETS, type StateCount, type Timeline, type TimelineOptions } from './shapes.ts'
import type { View } from './view.ts'

/** @throws QueryError for a span of more buckets than are answered */
export function askTimeline(view: View, options: TimelineOptions): Asked<Timeline> {
  const buckets = bucketsOf(view, options.bucket)
  return {
    statements: [timelineStatement(view, options.certname), deploysStatement(view)],
    read: ([rows, deploys]) => timelineOf(options, buckets, rows!, deploys!),
  }
}

function timelineOf(
  { bucket }: TimelineOptions,
  buckets: readonly number[],
  rows: readonly Row[],
  deploys: readonly Row[],
): Timeline {
  const length = BUCKETS[bucket]
  const inBucket = new Map<number, Row[]>()
  for (const row of rows) {
    const number = Math.floor(((row[0] as number) * HOUR) / length)
    inBucket.set(number, [...(inBucket.get(number) ?? []), row])
  }
  return {
    bucket,
    ...runsOf(rows),
    buckets: buckets.map((number) => ({
      start: formatTimestamp(number * length),
      ...runsOf(inBucket.get(number) ?? []),
    })),
    deploys: deploys.map(([time, environment, version]) => ({
      time: formatTimestamp(time as number),
      environment: environment as string,
      code_version: version as string,
    })),
  }
}

/** Rows of [hour, state, runs] as numbers by state, those that are zero left out. */
function runsOf(rows: readonly Row[]): { runs: number; states: readonly StateCount[] } {
  const count = (name: StateName, noop: boolean): number =>
    rows.reduce((sum, [, code, runs]) => {
      const run = decodeState(code as number)
      return run.state === name && run.noop === noop ? sum + (runs as number) : sum
    }, 0)
  const states = STATES.flatMap(({ name: state }) =>
    [false, true].map((noop) => ({ state, noop, count: count(state, noop) })),
  ).filter((one) => one.count > 0)
  return { runs: states.reduce((sum, one) => sum + one.count, 0), states }
}
