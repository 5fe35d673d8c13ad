/** Runs by time and state. */

import { formatTimestamp } from '../lib/time.ts'
import { HOUR } from '../schema/clocks.ts'
import { decodeState, STATE_CODES, STATES, type StateName } from '../schema/states.ts'
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
    const known = inBucket.get(number)
    if (known) known.push(row)
    else inBucket.set(number, [row])
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

/** What is counted together: a state, done or only said, whatever other marks it has. */
const KINDS = STATES.flatMap(({ name: state }) =>
  [false, true].map((noop) => ({ state, noop, columns: columnsOf(state, noop) })),
)

/** The columns of a kind in a row of the statement, where the hour comes first. */
function columnsOf(state: StateName, noop: boolean): readonly number[] {
  return STATE_CODES.flatMap((code, index) => {
    const run = decodeState(code)
    return run.state === state && run.noop === noop ? [index + 1] : []
  })
}

/** Rows of hours as numbers by state, those that are zero left out. */
function runsOf(rows: readonly Row[]): { runs: number; states: readonly StateCount[] } {
  let runs = 0
  const states: StateCount[] = []
  for (const { state, noop, columns } of KINDS) {
    let count = 0
    for (const row of rows) for (const column of columns) count += row[column] as number
    if (count > 0) states.push({ state, noop, count })
    runs += count
  }
  return { runs, states }
}
