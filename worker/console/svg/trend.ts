/** Charts of trends: bars of a count, or lines of times, over the buckets of a span, with ticks at round days. */

import { DAY, HOUR } from '../../lib/time.ts'
import { each, html, type Html } from '../html.ts'
import { dayLabel } from './ticks.ts'

const TOP = 20
const PLOT = 120
const AXIS = TOP + PLOT
const HEIGHT = AXIS + 22
/** Units of the nested picture, which is stretched to the width of the card. */
const UNITS = 1000
const MOST_TICKS = 8

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
    html`<path class="f-failed" d="${bars}" />${each(
        values,
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
    html`${each(lines, ({ values, hue }) => html`<path class="line ${hue}" d="${pathOf(values, most, step)}" />`)}${each(
      chart.starts,
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

/** The axes around a plot. Texts stand outside of the stretched picture, so that they keep their shape. */
function frame({ name, starts, length, write }: TrendChart, most: number, plot: Html): Html {
  const from = starts[0] ?? 0
  const whole = Math.max(1, starts.length * length)
  return html`<svg class="chart" height="${HEIGHT}" role="img" aria-label="${name}">
    <line class="base" x1="0" x2="100%" y1="${AXIS}" y2="${AXIS}" />
    ${each([0.5, 1], (share) => {
      const y = AXIS - share * PLOT
      return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}" />
        <text x="0" y="${y - 6}">${write(share * most)}</text>`
    })}
    ${each(
      ticksOf(starts, length),
      (time) =>
        html`<text x="${(((time - from) / whole) * 100).toFixed(2)}%" y="${AXIS + 16}"
          >${labelOf(time)}</text
        >`,
    )}
    <svg
      y="${TOP}"
      height="${PLOT}"
      width="100%"
      viewBox="0 0 ${UNITS} 100"
      preserveAspectRatio="none"
    >
      ${plot}
    </svg>
  </svg>`
}

/** Midnights, else every third hour, as many as have room; the last tenth has none. */
function ticksOf(starts: readonly number[], length: number): number[] {
  const round = starts.filter((time) => time % (length >= DAY ? length : 3 * HOUR) === 0)
  const inside = round.filter((time) => starts.indexOf(time) <= starts.length * 0.92)
  const every = Math.max(1, Math.ceil(inside.length / MOST_TICKS))
  return inside.filter((_, index) => index % every === 0)
}

/** `22 Nov`, or `06:00` within a day. */
const labelOf = (time: number): string =>
  time % DAY === 0 ? dayLabel(time) : new Date(time).toISOString().slice(11, 16)
