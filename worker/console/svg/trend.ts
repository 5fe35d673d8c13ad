/** Bars of a share over the buckets of a span, with ticks at round days. */

import { percent } from '../format.ts'
import { html, type Html } from '../html.ts'
import { chartFrame, UNITS } from './chart-frame.ts'

export interface TrendChart {
  /** What the chart says, for those who do not see it. */
  readonly name: string
  /** Starts of the buckets in ms, and their common length. */
  readonly starts: readonly number[]
  readonly length: number
}

/** Ends that the vertical axis may have: such that the end and its half are round. */
const ENDS = [0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 1]

/** @param values of the buckets, 0 to 1; null where there is none */
export function barChart(
  { name, starts, length }: TrendChart,
  values: readonly (number | null)[],
  titleOf: (index: number) => string,
): Html {
  const greatest = Math.max(0, ...values.map((value) => value ?? 0))
  const most = ENDS.find((end) => end >= greatest) ?? 1
  const from = starts[0] ?? 0
  const to = from + Math.max(1, starts.length * length)
  const step = UNITS / Math.max(1, values.length)
  const bars = values
    .map((value, index) => {
      if (value === null || value === 0) return ''
      const height = Math.max(2, (value / most) * 100)
      const [x, y] = [((index + 0.12) * step).toFixed(1), (100 - height).toFixed(1)]
      return `M${x} ${y}h${(step * 0.76).toFixed(1)}V100H${x}z`
    })
    .join('')
  return chartFrame(
    { label: name, from, to, most, write: percent, least: length },
    () =>
      html`<path class="f-failed" d="${bars}" />${values.map(
          (_, index) =>
            html`<rect
              class="hit"
              x="${(index * step).toFixed(1)}"
              width="${step.toFixed(1)}"
              height="100"
              ><title>${titleOf(index)}</title></rect
            >`,
        )}`,
  )
}
