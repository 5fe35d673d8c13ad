/** Reads metrics of a node over its last runs, and their medians. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import type { Timestamp } from '../../lib/time.ts'
import type { MetricNumbers } from '../../report/body-metrics.ts'
import { decodeNumbers } from '../../report/body.ts'
import { decodeState, type RunState } from '../../schema/states.ts'
import { integer, nullable, select, text, timestamp, type RowOf } from '../../sql/columns.ts'
import { bytesOfHex, hexOf, literal, lowerHexOf, producerTimestampOf } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { nodeNamed } from '../../outcomes/fragments.ts'
import { interpolatedQuantile } from '../quantile.ts'
import { METRIC_NAMES } from '../reports/report-body.ts'
import { reportNamed } from '../reports/report-key.ts'
import type { View } from '../view.ts'
import { asTexts } from '../../schema/readers.ts'
import { definePanel, runsParameter } from '../panel.ts'

export interface MetricSeriesOptions {
  /** `category.name`, such as `time.total`. */
  readonly metrics: readonly string[]
  readonly runs: number
}

export interface MetricSeries {
  readonly certname: string
  /** All metrics of the runs, to choose from. */
  readonly available: readonly string[]
  readonly runs: readonly (RunState & { readonly time: Timestamp; readonly report: string })[]
  readonly series: readonly {
    readonly metric: string
    /** One value for each of `runs`, oldest first. */
    readonly values: readonly (number | null)[]
    readonly median: number | null
    readonly p95: number | null
  }[]
}

/** @throws NotFound where no run of the node is visible */
export const metricSeriesRead = (
  view: View,
  certname: string,
  { metrics, runs }: MetricSeriesOptions,
): BatchRead<MetricSeries> =>
  batchRead([runsOf(view, nodeNamed(certname), runs)], ([newestFirst]) => {
    if (newestFirst.length === 0) throw new NotFound('node', certname)
    const stored = newestFirst.reverse()
    const numbers = stored.map(numbersOf)
    return {
      certname,
      available: namesOf(numbers).sort(),
      runs: stored.map(({ hash, state, time }) =>
        Object.assign({ ...decodeState(state) }, { time, report: hash }),
      ),
      series: metrics.map((metric) => {
        const values = valuesOf(metric, numbers)
        return { metric, values, median: quantile(values, 0.5), p95: quantile(values, 0.95) }
      }),
    }
  })

/** Number of earlier runs that a run is compared with. */
export const COMPARED_RUNS = 20

/** Medians of metrics, by `category.name`, over the node's runs before the report with that hash. */
export function metricMediansRead(
  view: View,
  hash: string,
): BatchRead<ReadonlyMap<string, number | null>> {
  const key = reportNamed(view, hash)
  const node = sql`(select k.node from reports k where k.id = ${key})`
  return batchRead([runsOf(view, node, COMPARED_RUNS, key)], ([stored]) => {
    const numbers = stored.map(numbersOf)
    const median = (name: string) => quantile(valuesOf(name, numbers), 0.5)
    return new Map(namesOf(numbers).map((name) => [name, median(name)]))
  })
}

/** Largest body that is decoded for its metrics, in bytes: nearly all have a few hundred. */
const LONGEST_READ = 100_000

const RUN = {
  hash: text(lowerHexOf(sql`reports.hash`)),
  state: integer(sql`reports.state`),
  time: timestamp(sql.raw(producerTimestampOf('reports'))),
  metricNames: METRIC_NAMES,
  /** In hex digits; null where the body is too long. */
  body: nullable(
    text(
      sql`iif(length(reports.body) < ${literal(LONGEST_READ)}, ${hexOf(sql`reports.body`)}, null)`,
    ),
  ),
}
type StoredRun = RowOf<typeof RUN>

/** Visible runs of a node, newest first. @param before reads only runs before the one with this key */
function runsOf(
  { rowPolicy }: View,
  node: SQL,
  size: number,
  before: SQL | null = null,
): TypedStatement<StoredRun> {
  const earlier = before === null ? sql`` : sql` and reports.id < ${before}`
  return select(
    RUN,
    sql`from reports indexed by reports_node
      where reports.node = ${node}${earlier} and ${rowPolicy} order by reports.id desc limit ${literal(size)}`,
  )
}

/** The numeric metrics of a run; none where its body is too long to decode. */
const numbersOf = ({ metricNames, body }: StoredRun): MetricNumbers =>
  decodeNumbers(metricNames, bytesOfHex(body ?? ''))

/** The metrics that are numeric in any of the runs. */
function namesOf(runs: readonly MetricNumbers[]): string[] {
  const names = new Set<string>()
  for (const { places, numbers } of runs) {
    for (const [name, place] of places) if (typeof numbers[place] === 'number') names.add(name)
  }
  return [...names]
}

const valuesOf = (metric: string, runs: readonly MetricNumbers[]): (number | null)[] =>
  runs.map(({ places, numbers }) => numbers[places.get(metric) ?? -1] ?? null)

const quantile = (values: readonly (number | null)[], share: number): number | null =>
  interpolatedQuantile(
    values.filter((value) => value !== null),
    share,
  )

export const SERIES_PANEL = definePanel({
  path: '/nodes/:certname/series',
  summary: 'Metrics of a node over its last runs.',
  takes: {
    metric: asTexts('Metrics as `category.name`, separated by commas. By default `time.total`.'),
    runs: runsParameter(100, 100),
  },
  read: (view, { certname, metric, runs }) =>
    metricSeriesRead(view, certname, {
      metrics: metric.length > 0 ? metric : ['time.total'],
      runs,
    }),
})
