/** Charts of trends: bars of a count, or lines of times, over the buckets of a span, with ticks at round days. */

import { each, html, type Html } from '../html.ts'
import { chartFrame, UNITS } from './chart-frame.ts'

export interface TrendChart {
  /** What the chart says, for those who do not see it. */
  readonly name: string
  /** Starts of the buckets in ms, and their common length. */
  readonly starts: readonly number[]
  readonly length: number
  /** Writes a value of the vertical axis. */
  readonly write: (value: number) => string
  /** Ends that the vertical axis may have, ascending: such that the end and its half are round. */
  readonly ends: readonly number[]
}

export const SHARE_ENDS = [0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 1]
/** In seconds. */
export const DURATION_ENDS = [
  ...[1, 2, 4, 6, 10, 20, 30, 40, 60, 120, 240, 360, 600, 1200, 1800],
  ...[1, 2, 4, 6, 12, 24, 48].map((hours) => hours * 3600),
]

/** A value for each bucket; null where there is none. */
type Values = readonly (number | null)[]

/** Bars with a title each, the number in red. */
export const barChart = (
  chart: TrendChart,
  values: Values,
  titleOf: (index: number) => string,
): Html => {
  const most = endOf(chart, values)
  const step = UNITS / Math.max(1, values.length)
  const bars = values
    .map((value, index) => {
      if (value === null || value === 0) return ''
      const height = Math.max(2, (value / most) * 100)
      return `M${(index * step + step * 0.12).toFixed(1)} ${(100 - height).toFixed(1)}h${(step * 0.76).toFixed(1)}V100H${(index * step + step * 0.12).toFixed(1)}z`
    })
    .join('')
  return frame(
    chart,
    most,
    html`<path class="f-failed" d="${bars}" />${titled(values.length, titleOf)}`,
  )
}

/** A title for each bucket, over its whole height. */
const titled = (count: number, titleOf: (index: number) => string): Html[] => {
  const step = UNITS / Math.max(1, count)
  return Array.from(
    { length: count },
    (_, index) =>
      html`<rect
        class="hit"
        x="${(index * step).toFixed(1)}"
        width="${step.toFixed(1)}"
        height="100"
        ><title>${titleOf(index)}</title></rect
      >`,
  )
}

/** Lines on one scale, with gaps where a value is missing; a value between two gaps is a dash. */
export const lineChart = (
  chart: TrendChart,
  lines: readonly { readonly values: Values; readonly hue: string }[],
  titleOf: (index: number) => string,
): Html => {
  const most = endOf(
    chart,
    lines.flatMap(({ values }) => values),
  )
  const count = chart.starts.length
  const step = UNITS / Math.max(1, count)
  return frame(
    chart,
    most,
    html`${each(lines, ({ values, hue }) => html`<path class="line ${hue}" d="${pathOf(values, most, step)}" />`)}${titled(count, titleOf)}`,
  )
}

function endOf({ ends }: TrendChart, values: Values): number {
  const greatest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0)
  return ends.find((end) => end >= greatest) ?? greatest
}

function pathOf(values: Values, most: number, step: number): string {
  let pen = false
  return values
    .map((value, index) => {
      if (value === null) {
        pen = false
        return ''
      }
      const [x, y] = [index * step + step / 2, 100 - (value / most) * 100]
      const point = `${x.toFixed(1)} ${y.toFixed(1)}`
      const drawn = pen ? `L${point}` : `M${point}h${values[index + 1] == null ? 4 : 0}`
      pen = true
      return drawn
    })
    .join('')
}

const frame = ({ name, starts, length, write }: TrendChart, most: number, plot: Html): Html => {
  const from = starts[0] ?? 0
  const to = from + Math.max(1, starts.length * length)
  return chartFrame({ label: name, from, to, most, write, least: length }, () => plot)
}
