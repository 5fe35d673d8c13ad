/** How the fleet does over weeks: run times by group, failure rates by environment and class, times by resource type. */

import { formatTimestamp, HOUR, type Timestamp } from '../../lib/time.ts'
import {
  answering,
  batchRead,
  inOneStatement,
  namedReads,
  type BatchRead,
} from '../../store/batch-read.ts'
import type { View } from '../view.ts'
import {
  classRates,
  countsDeleted,
  environmentRates,
  knownFrom,
  type ClassRate,
  type EnvironmentRate,
} from './failure-rates.ts'
import { groupTrendOf, timedNodes, type GroupTrend } from './group-times.ts'
import { metricBodies, runTimes, typeTrendOf, type RunTimes, type TypeTrend } from './run-times.ts'
import { activeNodes } from '../hour-groups.ts'
import { trendSpanOf } from './trend-buckets.ts'
import { definePanel } from '../panel.ts'

/** Most environments, those with the most runs first. */
const MOST_ENVIRONMENTS = 8

/** Lists of numbers have one for each of `buckets`, oldest first. Times are in seconds. */
export interface Trends {
  /**
   * Begin of the first bucket. A longer span is cut at 48 times 4 weeks, or at 31 days where each run has to be read. The last
   * day is whole, unless buckets are hours.
   */
  readonly since: Timestamp
  readonly bucket_hours: number
  readonly runs: number
  readonly failed: number
  /** Of the runs, those that were deleted since: only their numbers by day and environment are kept. */
  readonly deleted: number
  /**
   * Numbers of buckets that begin before it are null and in no sum, because runs of theirs were deleted and not counted: before
   * the upgrade that brought these numbers, and in buckets of hours or with a filter or row policy by nodes. Null for none.
   */
  readonly known_since: Timestamp | null
  readonly buckets: readonly TrendBucket[]
  /** Run times by group of nodes. */
  readonly groups: GroupTrend
  /** Runs by the environment that they ran in. */
  readonly environments: readonly {
    readonly environment: string
    readonly runs: number
    readonly failed: number
    readonly buckets: readonly { readonly runs: number | null; readonly failed: number | null }[]
  }[]
  /**
   * Failed runs by the class that contains a resource which failed in them: a run counts for each such class, and as
   * `no class` where the class is not known or only its log says that it failed. Reports do not name the classes of runs
   * that succeed, so the rate is the share of all runs that are stored. A bucket of which runs were deleted has null.
   */
  readonly classes: readonly {
    readonly containing_class: string
    readonly failed: number
    readonly nodes: number
    readonly rate: number
    readonly buckets: readonly (number | null)[]
  }[]
  /** Times by resource type, from the metrics of a sample of runs. */
  readonly types: TypeTrend
}

export interface TrendBucket {
  readonly start: Timestamp
  readonly runs: number | null
  readonly failed: number | null
  /** Time from start to end of runs: quantiles of `sampled` runs of the bucket; null without any. */
  readonly sampled: number
  readonly p50: number | null
  readonly p95: number | null
}

/** Takes one round trip with four statements. */
export function trendsRead(whole: View): BatchRead<Trends> {
  const span = trendSpanOf(whole)
  const { view, length, numbers } = span
  const reads = namedReads({
    rates: inOneStatement(
      batchRead(
        [environmentRates(span), classRates(span), timedNodes(span), knownFrom()],
        ([all, classes, timed, [known]]) => ({ all, classes, timed, known: known! }),
      ),
    ),
    others: batchRead([runTimes(span), metricBodies(span)], (rows) => rows),
  })
  return answering(reads, ({ rates: { all, classes, timed, known }, others: [times, bodies] }) => {
    const isIn = (from: number | null) => (bucket: number) =>
      from === null || bucket * length >= from
    const from = countsDeleted(span) ? known.kept : known.stored
    const isKnown = isIn(from)
    const rates = all.filter(({ bucket }) => isKnown(bucket))
    const buckets = bucketsOf(numbers, { length, isKnown }, rates, times)
    const stored = sumOf(all, ({ runs, kept }) => runs - kept)
    return {
      since: formatTimestamp(view.since),
      bucket_hours: length / HOUR,
      runs: sumOf(rates, ({ runs }) => runs),
      failed: sumOf(rates, ({ failed }) => failed),
      deleted: sumOf(rates, ({ kept }) => kept),
      known_since: from === null || isKnown(numbers[0]!) ? null : formatTimestamp(from),
      buckets,
      groups: groupTrendOf(view, timed, numbers, times),
      environments: environmentsOf(numbers, isKnown, rates),
      classes: classesOf(numbers, isIn(known.stored), classes, stored),
      types: typeTrendOf(bodies, numbers),
    }
  })
}

function bucketsOf(
  numbers: readonly number[],
  { length, isKnown }: { readonly length: number; readonly isKnown: (bucket: number) => boolean },
  rates: readonly EnvironmentRate[],
  times: readonly RunTimes[],
): TrendBucket[] {
  const ratesIn = Map.groupBy(rates, ({ bucket }) => bucket)
  const timesIn = new Map(times.map((one) => [one.bucket, one]))
  return numbers.map((number) => {
    const own = ratesIn.get(number) ?? []
    const known = isKnown(number)
    const timed = timesIn.get(number)
    return {
      start: formatTimestamp(number * length),
      runs: known ? sumOf(own, ({ runs }) => runs) : null,
      failed: known ? sumOf(own, ({ failed }) => failed) : null,
      sampled: timed?.sampled ?? 0,
      p50: timed === undefined ? null : timed.p50 / 1000,
      p95: timed === undefined ? null : timed.p95 / 1000,
    }
  })
}

const environmentsOf = (
  numbers: readonly number[],
  isKnown: (bucket: number) => boolean,
  rates: readonly EnvironmentRate[],
): Trends['environments'] =>
  [...Map.groupBy(rates, ({ environment }) => environment)]
    .map(([environment, own]) => {
      const inBucket = new Map(own.map((one) => [one.bucket, one]))
      return {
        environment,
        runs: sumOf(own, ({ runs }) => runs),
        failed: sumOf(own, ({ failed }) => failed),
        buckets: numbers.map((number) => {
          if (!isKnown(number)) return { runs: null, failed: null }
          const { runs = 0, failed = 0 } = inBucket.get(number) ?? {}
          return { runs, failed }
        }),
      }
    })
    .toSorted(
      (one, other) => other.runs - one.runs || (one.environment < other.environment ? -1 : 1),
    )
    .slice(0, MOST_ENVIRONMENTS)

const classesOf = (
  numbers: readonly number[],
  isKnown: (bucket: number) => boolean,
  rates: readonly ClassRate[],
  all: number,
): Trends['classes'] =>
  rates
    .map((rate) => {
      const inBucket = new Map<number, number>()
      for (const [bucket, failed] of rate.buckets)
        inBucket.set(bucket, (inBucket.get(bucket) ?? 0) + failed)
      return {
        containing_class: rate.label,
        failed: rate.failed,
        nodes: activeNodes(rate).size,
        rate: all === 0 ? 0 : rate.failed / all,
        buckets: numbers.map((number) => (isKnown(number) ? (inBucket.get(number) ?? 0) : null)),
      }
    })
    .toSorted(
      (one, other) =>
        other.failed - one.failed || (one.containing_class < other.containing_class ? -1 : 1),
    )

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0)

export const TRENDS_PANEL = definePanel({
  path: '/trends',
  summary:
    'Run times by group of nodes, failure rates by environment and class, and times by resource type.',
  takes: {},
  read: trendsRead,
})
