/** Metrics of a node over its last runs. */

import { NotFound } from '../lib/errors.ts'
import { formatTimestamp } from '../lib/time.ts'
import { decodeBody } from '../report/body.ts'
import { decodeState } from '../schema/states.ts'
import type { Row } from '../store/database.ts'
import { bodiesBefore, lastBodies, reportNamed } from '../store/insight/reports.ts'
import type { Asked } from './asked.ts'
import type { Metric, Series, SeriesOptions } from './shapes.ts'
import type { View } from './view.ts'

export const askSeries = (
  view: View,
  certname: string,
  { metrics, runs }: SeriesOptions,
): Asked<Series> => ({
  statements: [lastBodies(view, certname, runs)],
  read: ([rows]) => {
    if (rows!.length === 0) throw new NotFound('node', certname)
    const oldestFirst = [...rows!].reverse()
    const values = oldestFirst.map(valuesOf)
    return {
      certname,
      available: [...new Set(values.flatMap((one) => [...one.keys()]))].sort(),
      runs: oldestFirst.map(([, hash, state, time]) => ({
        ...decodeState(state as number),
        time: formatTimestamp(time as number),
        report: hash as string,
      })),
      series: metrics.map((metric) => seriesOf(metric, values)),
    }
  },
})

/** Runs before one that it is compared with. */
export const COMPARED_RUNS = 20

/** Medians of metrics, by `category.name`, over the runs of its node before the report of that hash. */
export const askMedians = (
  view: View,
  hash: string,
): Asked<ReadonlyMap<string, number | null>> => ({
  statements: [bodiesBefore(view, reportNamed(view, hash), COMPARED_RUNS)],
  read: ([rows]) => {
    const runs = rows!.map(valuesOf)
    const names = new Set(runs.flatMap((run) => [...run.keys()]))
    return new Map([...names].map((name) => [name, seriesOf(name, runs).median]))
  },
})

/** The metrics of a run by `category.name`; none where its body is too long to be read along. */
function valuesOf([, , , , names, body]: Row): ReadonlyMap<string, number> {
  if (body === null) return new Map()
  const text = decodeBody(names as string | null, Buffer.from(body as string, 'hex')).metrics
  const metrics = (JSON.parse(text) ?? []) as Partial<Metric>[]
  return new Map(
    metrics.flatMap((metric): [string, number][] =>
      typeof metric?.value === 'number'
        ? [[`${metric.category}.${metric.name}`, metric.value]]
        : [],
    ),
  )
}

function seriesOf(
  metric: string,
  runs: readonly ReadonlyMap<string, number>[],
): Series['series'][number] {
  const values = runs.map((run) => run.get(metric) ?? null)
  return { metric, values, median: quantile(values, 0.5), p95: quantile(values, 0.95) }
}

/** The value that so much of the others are not above, between two of them in proportion; null of none. */
function quantile(values: readonly (number | null)[], part: number): number | null {
  const sorted = values.filter((value) => value !== null).sort((one, other) => one - other)
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * part
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}
