/** Metrics of a node over its last runs. */

import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { MetricNumbers } from '../../report/body-metrics.ts'
import { decodeNumbers } from '../../report/body.ts'
import { decodeState } from '../../schema/states.ts'
import type { Row } from '../../store/database.ts'
import { bodiesBefore, lastBodies, reportNamed } from '../reports/report-row.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import type { Series, SeriesOptions } from '../shapes.ts'
import type { View } from '../view.ts'

export const askSeries = (
  view: View,
  certname: string,
  { metrics, runs }: SeriesOptions,
): BatchRead<Series> => ({
  statements: [lastBodies(view, certname, runs)],
  read: ([rows]) => {
    if (rows!.length === 0) throw new NotFound('node', certname)
    const oldestFirst = [...rows!].reverse()
    const runs = oldestFirst.map(numbersOf)
    return {
      certname,
      available: namesOf(runs).sort(),
      runs: oldestFirst.map(([, hash, state, time]) =>
        Object.assign(
          { ...decodeState(state as number) },
          { time: formatTimestamp(time as number), report: hash as string },
        ),
      ),
      series: metrics.map((metric) => {
        const values = valuesOf(metric, runs)
        const sorted = sortedNumbers(values)
        return { metric, values, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
      }),
    }
  },
})

/** Runs before one that it is compared with. */
export const COMPARED_RUNS = 20

/** Medians of metrics, by `category.name`, over the runs of its node before the report of that hash. */
export const askMedians = (
  view: View,
  hash: string,
): BatchRead<ReadonlyMap<string, number | null>> => ({
  statements: [bodiesBefore(view, reportNamed(view, hash), COMPARED_RUNS)],
  read: ([rows]) => {
    const runs = rows!.map(numbersOf)
    const median = (name: string) => quantile(sortedNumbers(valuesOf(name, runs)), 0.5)
    return new Map(namesOf(runs).map((name) => [name, median(name)]))
  },
})

/** The numbers of a run; none where its body is too long to be read along. */
const numbersOf = ([, , , , names, body]: Row): MetricNumbers =>
  decodeNumbers(names as string | null, Buffer.from((body as string | null) ?? '', 'hex'))

/** The metrics that are a number in any of the runs. */
function namesOf(runs: readonly MetricNumbers[]): string[] {
  const names = new Set<string>()
  for (const { places, numbers } of runs) {
    for (const [name, place] of places) if (typeof numbers[place] === 'number') names.add(name)
  }
  return [...names]
}

const valuesOf = (metric: string, runs: readonly MetricNumbers[]): (number | null)[] =>
  runs.map(({ places, numbers }) => numbers[places.get(metric) ?? -1] ?? null)

const sortedNumbers = (values: readonly (number | null)[]): number[] =>
  values.filter((value) => value !== null).sort((one, other) => one - other)

/** The value that so much of the others are not above, between two of them in proportion; null of none. */
function quantile(sorted: readonly number[], part: number): number | null {
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * part
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}
