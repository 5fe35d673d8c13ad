/** Metrics of a node over its last runs. */

import { NotFound } from '../lib/errors.ts'
import { formatTimestamp } from '../lib/time.ts'
import { decodeBody } from '../report/body.ts'
import { decodeState } from '../schema/states.ts'
import type { Row } from '../store/database.ts'
import { lastBodies } from '../store/insight/reports.ts'
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
  const sorted = values.filter((value) => value !== null).sort((one, other) => one - other)
  return { metric, values, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

/** The value that so much of the sorted ones are not above, between two of them in proportion. */
function quantile(sorted: readonly number[], part: number): number | null {
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * part
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}
