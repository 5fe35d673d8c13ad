/** Runs by time and state. */

import { formatTimestamp } from '../lib/time.ts'
import { HOUR } from '../schema/clocks.ts'
import { decodeState, STATE_CODES, STATES, type StateName } from '../schema/states.ts'
import type { Row } from '../store/database.ts'
import { deploysStatement, timelineStatement } from './timeline-sql.ts'
import { NO_READ, type BatchRead } from '../store/batch-read.ts'
import { bucketsOf } from './buckets.ts'
import {
  BUCKETS,
  type Runs,
  type StateCount,
  type Timeline,
  type TimelineOptions,
} from './shapes.ts'
import type { View } from './view.ts'

/** @throws QueryError for a span of more buckets than are answered */
export function askTimeline(view: View, options: TimelineOptions): BatchRead<Timeline> {
  const buckets = bucketsOf(view, options.bucket)
  return {
    statements: [timelineStatement(view, options.certname), deploysStatement(view)],
    read: ([rows, deploys]) => timelineOf(options, buckets, rows!, deploys!),
  }
}

/** Hours have a row for each environment and state, and a node has a row for each run: so many of either are few. */
const MOST_COUNTED_MS = 31 * 86_400_000

/**
 * All runs of a view by state, of one node or of all: what a page of them is a part of. Null where
 * that would mean reading them one by one.
 */
export function askRuns(view: View, certname: string | null): BatchRead<Runs | null> {
  const few = view.until - view.since <= MOST_COUNTED_MS && (view.ofHours || certname !== null)
  return few
    ? { statements: [timelineStatement(view, certname)], read: ([rows]) => runsOf(rows!) }
    : NO_READ
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
function runsOf(rows: readonly Row[]): Runs {
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
