/** The frame of a chart over time: grid, times, flags, and a picture inside that is stretched to the card. */

import { number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { clockOf, ticks } from './ticks.ts'

export const TOP = 26
const PLOT = 142
const MOST_TICKS = 6
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
  // Labels near the ends would be cut.
  const margin = (to - from) * 0.04
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
    ${each(ticks(from + margin, to - margin, MOST_TICKS, least), (time) => html`<text x="${percent(time)}" y="${AXIS + 16}" text-anchor="middle">${clockOf(time, false)}</text>`)}
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

/** A count; nothing where the half of one is none. */
const whole = (value: number): string => (Number.isInteger(value) ? number(value) : '')
