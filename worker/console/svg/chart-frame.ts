/** The frame of a chart over time: grid, times, flags, and a picture inside that is stretched to the card. */

import { DAY, HOUR, MINUTE } from '../../lib/time.ts'
import { number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { dayLabel } from './ticks.ts'

export const TOP = 26
const PLOT = 142
export const AXIS = TOP + PLOT
const HEIGHT = 190
/** Units of the nested picture, which is stretched to the width of the card. */
export const UNITS = 1000

export interface Frame {
  /** What it shows, for those who don't see it. */
  readonly label: string
  /** Its ends, in ms. */
  readonly from: number
  readonly to: number
  /** The least distance of its ticks, in ms: none stands under a bar. */
  readonly least?: number
  /** The count, or other value, at its top. */
  readonly most: number
  /** Writes a value of the vertical axis: as a whole number, by default. */
  readonly write?: (value: number) => string
  readonly flags?: readonly FrameFlag[]
  readonly names?: readonly CurveName[]
}

export interface FrameFlag {
  readonly time: number
  readonly text: string
  /** Whether it is drawn strongly. */
  readonly on: boolean
  readonly anchor: 'start' | 'middle'
}

/** The name of a curve, above its end. */
export interface CurveName {
  readonly text: string
  /** In ms. */
  readonly time: number
  /** In px from the top (`heightOf`). */
  readonly at: number
}

/** The height in px of a count in a frame. */
export const heightOf = (count: number, most: number): number =>
  AXIS - (count / Math.max(1, most)) * PLOT

/** The place of a count at a time, in the units of a path. */
export type Point = (time: number, count: number) => string

/** @param plot draws the paths */
export function chartFrame(
  { label, from, to, most, least = 0, write = whole, flags = [], names = [] }: Frame,
  plot: (point: Point) => Html,
): Html {
  const x = (time: number): number => (time - from) / (to - from)
  const percent = (time: number): string => `${(x(time) * 100).toFixed(2)}%`
  const point: Point = (time, count) =>
    `${Math.round(x(time) * UNITS)} ${((1 - count / Math.max(1, most)) * 100).toFixed(1)}`
  return html`<svg class="chart" height="${HEIGHT}" role="img" aria-label="${label}">
    <line class="base" x1="0" x2="100%" y1="${AXIS}" y2="${AXIS}" />
    ${each([0.5, 1], (share) => {
      const at = AXIS - share * PLOT
      return html`<line class="grid" x1="0" x2="100%" y1="${at}" y2="${at}" />
        <text x="0" y="${at - 6}">${write(share * most)}</text>`
    })}
    ${each(ticks(from, to, least), (time) => html`<text x="${percent(time)}" y="${AXIS + 16}" text-anchor="middle">${clockOf(time, false)}</text>`)}
    <svg
      y="${TOP}"
      height="${PLOT}"
      width="100%"
      viewBox="0 0 ${UNITS} 100"
      preserveAspectRatio="none"
    >
      ${plot(point)}
    </svg>
    ${each(names, ({ text, time, at }) => html`<text class="lab" x="${percent(time)}" y="${at}" dx="-8" text-anchor="end">${text}</text>`)}
    ${each(flags, ({ time, text, on, anchor }) => html`<line class="${on ? 'flag on' : 'flag'}" x1="${percent(time)}" x2="${percent(time)}" y1="12" y2="${AXIS}" /><text class="${on ? 'on' : ''}" x="${percent(time)}" y="8" text-anchor="${anchor}">${text}</text>`)}
  </svg>`
}

const whole = (value: number): string => number(Math.round(value))

const TICKS = [
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  3 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
]
const MOST_TICKS = 6

/** Round times within the chart, not too near its ends. */
function ticks(from: number, to: number, least: number): number[] {
  const step =
    TICKS.find((length) => length >= least && (to - from) / length <= MOST_TICKS) ?? 60 * DAY
  const first = Math.ceil((from + (to - from) * 0.04) / step) * step
  const times: number[] = []
  for (let time = first; time <= to - (to - from) * 0.04; time += step) times.push(time)
  return times
}

/** `05:18`, or the day at midnight. */
export const clockOf = (time: number, always: boolean): string =>
  !always && time % DAY === 0 ? dayLabel(time) : new Date(time).toISOString().slice(11, 16)
