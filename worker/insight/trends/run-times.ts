/** How long runs took, bucket by bucket: quantiles of a sample, and times by resource type from the metrics of a smaller one. */

import { sql, type SQL } from 'drizzle-orm'
import { decodeNumbers } from '../../report/body.ts'
import { integer, json, nullable, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import { bytesOfHex, hexOf, literal, firstKeyOf, integerOf } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { quantileOf, rankedQuantile } from '../quantile.ts'
import type { TrendSpan } from './trend-buckets.ts'

const SLICES = 13
/** A filter leaves some of the runs that are read. */
const MORE_WITH_FILTER = 4

/**
 * A bounded sample of the runs of a span, for figures that would need every run: rows of `bucket` and the columns of `reports`,
 * as a source of a statement. Each bucket is cut into slices of equal length, and the first runs of each slice are read.
 * Thirteen slices have no common beat with runs each half hour, so that all minutes of an hour are met; a bucket with few
 * runs is read whole.
 *
 * @param runs the most runs read of each slice
 */
function runSample({ view, length, numbers }: TrendSpan, runs: number): SQL {
  const start = sql`(${integerOf(sql`b.value`)} * ${literal(length)} + ${literal(length)} * ${integerOf(sql`s.value`)} / ${literal(SLICES)})`
  const end = sql`(${integerOf(sql`b.value`)} * ${literal(length)} + ${literal(length)} * (${integerOf(sql`s.value`)} + 1) / ${literal(SLICES)})`
  const most = isWhole(view) ? runs : runs * MORE_WITH_FILTER
  const slices = Array.from({ length: SLICES }, (_, index) => index)
  return sql`(select ${integerOf(sql`b.value`)} as bucket, reports.*
    from json_each(${JSON.stringify(numbers)}) b cross join json_each(${JSON.stringify(slices)}) s
    cross join reports on reports.id in (select r.id from reports r
      where r.id >= ${firstKeyOf(start)} and r.id < ${firstKeyOf(end)} order by r.id limit ${literal(most)})
    where ${view.where})`
}

/** Whether the view has no environment and no row policy; whether it has a filter is not known where it is of hours. */
const isWhole = ({ environment, ofHours, restricted }: TrendSpan['view']): boolean =>
  environment === null && ofHours && !restricted

/** Most runs timed of each of thirteen slices of a bucket: 312 of a bucket. */
const TIMED_RUNS = 24
/** The same for runs whose metrics are read; fewer where there are many buckets. */
const READ_RUNS = 4
const MANY_BUCKETS = 31
/** Largest body that is decoded, in bytes as stored: it bounds the answer of the database. */
const LONGEST_READ = 8000
/** Most types, those that took the most time first. */
const MOST_TYPES = 12

const TIMES = {
  bucket: integer(sql`bucket`),
  sampled: integer(sql`max(count)`),
  p50: integer(rankedQuantile(0.5)),
  p95: integer(rankedQuantile(0.95)),
  runs: json<readonly (readonly [node: number, ms: number])[], SQL>(
    sql`json_group_array(json_array(node, ms))`,
  ),
}
export type RunTimes = RowOf<typeof TIMES>

/** A row for each bucket with runs; times in ms. */
export const runTimes = (span: TrendSpan): TypedStatement<RunTimes> =>
  typed(
    TIMES,
    render(sql`with timed as materialized (select bucket, node, end_time - start_time as ms from ${runSample(span, TIMED_RUNS)}
        where end_time >= start_time),
      ranked as (select timed.*, row_number() over (partition by bucket order by ms) as place,
        count(*) over (partition by bucket) as count from timed)
      select ${selectList(TIMES)} from ranked group by bucket`),
  )

const BODY = {
  bucket: integer(sql`bucket`),
  metricNames: nullable(text(sql`(select m.names from metric_sets m where m.id = metric_set)`)),
  /** In hex digits. */
  body: text(hexOf(sql`body`)),
}
export type MetricBody = RowOf<typeof BODY>

/** The bodies of some runs of each bucket. */
export const metricBodies = (span: TrendSpan): TypedStatement<MetricBody> =>
  typed(
    BODY,
    render(sql`select ${selectList(BODY)}
      from ${runSample(span, span.numbers.length > MANY_BUCKETS ? READ_RUNS / 2 : READ_RUNS)}
      where length(body) between 1 and ${literal(LONGEST_READ)}`),
  )

/** Metrics of the category `time` that are no resource type: parts of the run around the catalog. */
export const PHASES: ReadonlySet<string> = new Set([
  'total',
  'config_retrieval',
  'convert_catalog',
  'fact_generation',
  'node_retrieval',
  'plugin_sync',
  'startup_time',
  'transaction_evaluation',
  'catalog_application',
])

/** The time of one type in a run; all times in seconds. */
export interface TypeTimes {
  readonly type: string
  /** Runs of the sample that have the type. */
  readonly runs: number
  readonly p50: number
  readonly p95: number
  readonly max: number
  /** Of the time of all types in the sample. */
  readonly share: number
  /** The median of each bucket; null where no run of the sample has the type. */
  readonly medians: readonly (number | null)[]
}

export interface TypeTrend {
  /** Runs whose metrics were read, and how many of them say how long types took. */
  readonly sampled: number
  readonly timed: number
  readonly types: readonly TypeTimes[]
}

export function typeTrendOf(rows: readonly MetricBody[], numbers: readonly number[]): TypeTrend {
  const times = new Map<string, Map<number, number[]>>()
  let timed = 0
  for (const { bucket, metricNames, body } of rows) {
    const { places, numbers: values } = decodeNumbers(metricNames, bytesOfHex(body))
    let any = false
    for (const [name, place] of places) {
      const value = values[place]
      const type = name.startsWith('time.') ? name.slice('time.'.length) : 'total'
      if (typeof value !== 'number' || PHASES.has(type)) continue
      const buckets = times.get(type) ?? new Map<number, number[]>()
      times.set(type, buckets)
      buckets.set(bucket, [...(buckets.get(bucket) ?? []), value])
      any = true
    }
    if (any) timed++
  }
  const sums = new Map(
    [...times].map(([type, buckets]) => [type, sumOf([...buckets.values()].flat())]),
  )
  const all = sumOf([...sums.values()])
  const types = [...times]
    .toSorted(([one], [other]) => sums.get(other)! - sums.get(one)!)
    .slice(0, MOST_TYPES)
    .map(([type, buckets]): TypeTimes => {
      const every = [...buckets.values()].flat()
      return {
        type,
        runs: every.length,
        p50: quantileOf(every, 0.5)!,
        p95: quantileOf(every, 0.95)!,
        max: every.reduce((one, other) => Math.max(one, other), 0),
        share: all === 0 ? 0 : sums.get(type)! / all,
        medians: numbers.map((number) => quantileOf(buckets.get(number) ?? [], 0.5)),
      }
    })
  return { sampled: rows.length, timed, types }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
