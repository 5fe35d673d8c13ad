/** Counts runs by time and state, per five minutes, hour or day: from the counts of closed hours, and from the reports of open ones. */

import { sql, type SQL } from 'drizzle-orm'
import { DAY, formatTimestamp, HOUR, type Timestamp } from '../lib/time.ts'
import { isGroup, STATES, type StateCount } from '../schema/states.ts'
import {
  integer,
  select,
  selectList,
  text,
  timestamp,
  typed,
  type Column,
  type RowOf,
} from '../sql/columns.ts'
import {
  bucketOfKey,
  hourFrom,
  hourNumber,
  hourOfKey,
  hourStart,
  literal,
} from '../sql/encoding.ts'
import { groupsByDay, groupsByHour, type HourSpan } from '../sql/closed-hours.ts'
import { UNCOUNTED_REPORTS } from '../sql/open-hours.ts'
import { render } from '../sql/render.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { batchRead, NO_READ, type BatchRead } from '../store/batch-read.ts'
import { BUCKET_NAMES, BUCKETS, bucketsOf, type BucketName } from './buckets.ts'
import { codeVersionsOf } from '../outcomes/code-versions.ts'
import { inSpan, nodeNamed, stringOf } from '../outcomes/fragments.ts'
import type { View } from './view.ts'
import { CERTNAME_PARAMETER, definePanel } from './panel.ts'
import { asChoice } from '../schema/readers.ts'

export interface TimelineOptions {
  readonly bucket: BucketName
  /** The only node whose runs count; null for all. */
  readonly certname: string | null
}

/** Runs, and runs of each state. */
export interface RunCounts {
  readonly runs: number
  /** Only counts above zero, worst first. */
  readonly states: readonly StateCount[]
}

/** Runs of a span, in buckets from that of `since` to that of `until`, including empty ones, oldest first. */
export interface Timeline extends RunCounts {
  readonly bucket: BucketName
  readonly buckets: readonly (RunCounts & { readonly start: Timestamp })[]
  /** Code versions whose first report in their environment is in the span, oldest first. */
  readonly deploys: readonly Deploy[]
}

/** @throws QueryError for a span of too many buckets */
export function timelineRead(
  view: View,
  { bucket, certname }: TimelineOptions,
): BatchRead<Timeline> {
  const numbers = bucketsOf(view, bucket)
  const length = BUCKETS[bucket]
  return batchRead([hourlyRuns(view, certname, bucket), deploysOf(view)], ([hours, deploys]) => {
    const counted = Math.min(length, HOUR)
    const inBucket = Map.groupBy(hours, ({ hour }) => Math.floor((hour * counted) / length))
    return {
      bucket,
      ...countsOf(hours),
      buckets: numbers.map((number) => ({
        start: formatTimestamp(number * length),
        ...countsOf(inBucket.get(number) ?? []),
      })),
      deploys: deploys.toSorted((one, other) => (one.time < other.time ? -1 : 1)),
    }
  })
}

/** A row for each hour and state, or for each run of one node; a short span has few. */
const LONGEST_COUNTED_MS = 31 * DAY

/** All runs of a view by state, of one node or of all. Null if that would read too many runs one by one. */
export function runCountsRead(view: View, certname: string | null): BatchRead<RunCounts | null> {
  const few = view.until - view.since <= LONGEST_COUNTED_MS && (view.ofHours || certname !== null)
  return few
    ? batchRead([hourlyRuns(view, certname, 'day')], ([hours]) => countsOf(hours))
    : NO_READ
}

/** The counted groups: each state, real or noop, each with its column. */
const KINDS = STATES.flatMap(({ name: state, rank }) =>
  [false, true].map((noop) => ({
    state,
    noop,
    column: `${noop ? 'noop' : 'real'}${rank}` as const,
  })),
)

/** A row for each hour, with a column for each group, so that SQLite needs no sorting or grouping by state. */
const hourColumns = (hour: SQL, count: (isState: SQL) => SQL) => {
  const counts = KINDS.map(({ state, noop, column }) => [
    column,
    integer(count(sql.raw(isGroup('reports.state', state, noop)))),
  ])
  return { hour: integer(hour), ...Object.fromEntries(counts) } as {
    readonly hour: Column<number, SQL>
    readonly [Group: `${'noop' | 'real'}${number}`]: Column<number, SQL>
  }
}
const countedAs = (hour: SQL) =>
  hourColumns(hour, (isState) => sql`count(*) filter (where ${isState})`)
const COUNTED = countedAs(hourOfKey(sql`reports.id`))
const OF_MINUTES = countedAs(bucketOfKey(sql`reports.id`, literal(BUCKETS['five-minutes'])))
const SUMMED = hourColumns(
  sql`reports.hour`,
  (isState) => sql`coalesce(sum(reports.count) filter (where ${isState}), 0)`,
)
type HourlyRuns = RowOf<typeof COUNTED>

/**
 * Runs by the hour of their producer timestamp, or the first hour of a day for buckets of days; hours without runs may be
 * missing. For buckets of five minutes these take the place of hours.
 */
const hourlyRuns = (
  view: View,
  certname: string | null,
  bucket: BucketName,
): TypedStatement<HourlyRuns> =>
  typed(
    COUNTED,
    render(
      certname === null && view.ofHours && bucket !== 'five-minutes'
        ? byHours(view, bucket === 'hour' ? groupsByHour : (span) => [groupsByDay(span)])
        : byReports(view, certname, bucket),
    ),
  )

/** Reads the reports of the span one by one. */
function byReports(view: View, certname: string | null, bucket: BucketName): SQL {
  const counted = bucket === 'five-minutes' ? OF_MINUTES : COUNTED
  const ofNode = certname === null ? sql`` : sql` and reports.node = ${nodeNamed(certname)}`
  return sql`select ${selectList(counted)} from reports
    where ${inSpan(sql`reports.id`, view)} and ${view.where}${ofNode} group by 1`
}

/** Reads whole closed hours of the span from their counts; open hours, and the parts of hours at both ends, from their reports. */
function byHours(view: View, counts: (span: HourSpan) => readonly string[]): SQL {
  const first = hourFrom(view.since)
  const behind = Math.max(first, hourNumber(view.until))
  const ends = [
    { ...view, until: Math.min(view.until, hourStart(first)) },
    { ...view, since: Math.max(view.since, hourStart(behind)) },
  ].filter(({ since, until }) => since < until)
  const inHours = (hour: SQL): SQL =>
    sql`${hour} >= ${literal(first)} and ${hour} < ${literal(behind)}`
  const parts = [
    ...counts({ first, behind }).map(
      (rows) => sql`select ${selectList(SUMMED)} from ${sql.raw(rows)} as reports
      where ${view.where} group by 1`,
    ),
    sql`select ${selectList(countedAs(sql`open_hours.hour`))} from ${sql.raw(UNCOUNTED_REPORTS)}
      where ${inHours(sql`open_hours.hour`)} and ${view.where} group by 1`,
    ...ends.map(
      (end) => sql`select ${selectList(countedAs(literal(hourNumber(end.since))))} from reports
      where ${inSpan(sql`reports.id`, end)} and ${view.where}`,
    ),
  ]
  return sql.join(parts, sql` union all `)
}

function countsOf(hours: readonly HourlyRuns[]): RunCounts {
  let runs = 0
  const states: StateCount[] = []
  for (const { state, noop, column } of KINDS) {
    let count = 0
    for (const hour of hours) count += hour[column]!
    if (count > 0) states.push({ state, noop, count })
    runs += count
  }
  return { runs, states }
}

const DEPLOY = {
  time: timestamp(sql`d.first`),
  environment: text(stringOf(sql`d.environment`)),
  code_version: text(sql`d.version`),
}
/** The first report of a code version in an environment. */
export type Deploy = RowOf<typeof DEPLOY>

const deploysOf = (view: View): TypedStatement<Deploy> =>
  select(
    DEPLOY,
    sql`from ${codeVersionsOf(view)} as d
      where d.first >= ${literal(view.since)} and d.first < ${literal(view.until)} order by 1`,
  )

export const TIMELINE_PANEL = definePanel({
  path: '/timeline',
  summary: 'Runs by state and time, and when code versions were first applied.',
  takes: {
    bucket: asChoice('The length of a bucket.', 'hour', BUCKET_NAMES),
    certname: CERTNAME_PARAMETER,
  },
  read: timelineRead,
})
