/** The curve of a rollout: how many nodes ran a code version by when, how many of these broke, and when the others are due. */

import type { DeployPage } from '../../insight/deploys/deploy-page.ts'
import { DAY, HOUR, MINUTE } from '../../lib/time.ts'
import { counted, number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { dayLabel } from './ticks.ts'

const TOP = 26
const PLOT = 142
const AXIS = TOP + PLOT
const HEIGHT = 190
/** Units of the nested picture, which is stretched to the width of the card. */
const UNITS = 1000
/** Most points of a curve. */
const MOST_POINTS = 200

type Rollout = Pick<DeployPage, 'time' | 'replaced_at' | 'nodes' | 'curve'>

/** @param now in ms */
export function rolloutChart(deploy: Rollout, now: number): Html {
  const times = (values: readonly string[]): number[] => values.map((value) => Date.parse(value))
  const start = Date.parse(deploy.time)
  const [ran, broke, due] = [
    times(deploy.curve.rolled_out),
    times(deploy.curve.broke),
    times(deploy.curve.due),
  ]
  // Afterwards nothing happens any more: an old rollout is drawn as long as it took, with a margin.
  const last = Math.max(start, ...ran)
  const isOpen = deploy.replaced_at === null && now - last < HOUR
  const end = isOpen ? Math.max(now, ...due) : last
  const margin = Math.max(MINUTE, (end - start) * 0.06)
  const [from, to] = [start - margin, end + margin]
  const x = (time: number): number => (time - from) / (to - from)
  const y = (count: number): number => 1 - count / Math.max(1, deploy.nodes)
  const until = isOpen ? now : to
  const label = `${counted(ran.length, 'node')} of ${number(deploy.nodes)} ran it${broke.length > 0 ? `, ${number(broke.length)} of them broke` : ''}`
  const flags: readonly Flag[] = [
    { time: start, text: clockOf(start, true), on: true, anchor: 'start' },
    ...(isOpen ? [{ time: now, text: 'now', on: false, anchor: 'middle' } as const] : []),
  ]
  const names = namesOf(ran.length, broke.length, deploy.nodes)
  const percent = (time: number): string => `${(x(time) * 100).toFixed(2)}%`
  return html`<svg class="chart" height="${HEIGHT}" role="img" aria-label="${label}">
    <line class="base" x1="0" x2="100%" y1="${AXIS}" y2="${AXIS}" />
    ${each([0.5, 1], (share) => {
      const at = AXIS - share * PLOT
      return html`<line class="grid" x1="0" x2="100%" y1="${at}" y2="${at}" />
        <text x="0" y="${at - 6}">${number(Math.round(share * deploy.nodes))}</text>`
    })}
    ${each(ticks(from, to), (time) => html`<text x="${percent(time)}" y="${AXIS + 16}" text-anchor="middle">${clockOf(time, false)}</text>`)}
    <svg
      y="${TOP}"
      height="${PLOT}"
      width="100%"
      viewBox="0 0 ${UNITS} 100"
      preserveAspectRatio="none"
    >
      ${curve(ran, until, 'ink', { x, y })}${broke.length === 0 ? '' : curve(broke, until, 'failed', { x, y })}
      ${isOpen && due.length > 0 ? html`<path class="line soon" d="${steps([now, ...due], ran.length, { x, y })}" />` : ''}
    </svg>
    ${each(names, ({ text, at }) => html`<text class="lab" x="${percent(until)}" y="${at}" dx="-8" text-anchor="end">${text}</text>`)}
    ${each(flags, ({ time, text, on, anchor }) => html`<line class="${on ? 'flag on' : 'flag'}" x1="${percent(time)}" x2="${percent(time)}" y1="12" y2="${AXIS}" /><text class="${on ? 'on' : ''}" x="${percent(time)}" y="8" text-anchor="${anchor}">${text}</text>`)}
  </svg>`
}

/** Room between a curve and its name, and between two names, in px. */
const ABOVE = 8
const LINE = 14

/** The names of the curves with their numbers, above their ends; that of the lower one gives way. */
function namesOf(ran: number, broke: number, nodes: number): { text: string; at: number }[] {
  const heightOf = (count: number): number => AXIS - (count / Math.max(1, nodes)) * PLOT - ABOVE
  const upper = Math.max(heightOf(ran), TOP + LINE - ABOVE)
  const names = [{ text: `rolled out: ${number(ran)}`, at: upper }]
  const lower = Math.max(heightOf(broke), upper + LINE)
  if (broke > 0 && lower < AXIS) names.push({ text: `broke: ${number(broke)}`, at: lower })
  return names
}

interface Flag {
  readonly time: number
  readonly text: string
  readonly on: boolean
  readonly anchor: 'start' | 'middle'
}

interface Scales {
  readonly x: (time: number) => number
  readonly y: (count: number) => number
}

const point = (time: number, count: number, { x, y }: Scales): string =>
  `${Math.round(x(time) * UNITS)} ${(y(count) * 100).toFixed(1)}`

/** The filled curve of a count that grows by one at each time. */
function curve(times: readonly number[], until: number, hue: string, scales: Scales): Html {
  if (times.length === 0) return ''
  const line = `${steps(times, 0, scales)}L${point(until, times.length, scales)}`
  const area = `${line}L${point(until, 0, scales)}L${point(times[0]!, 0, scales)}z`
  return html`<path class="area ${hue}" d="${area}" /><path class="line ${hue}" d="${line}" />`
}

/** @param base the count before the first time */
function steps(times: readonly number[], base: number, scales: Scales): string {
  const every = Math.max(1, Math.ceil(times.length / MOST_POINTS))
  const points = times.flatMap((time, index) =>
    index % every === 0 || index === times.length - 1
      ? [point(time, base + (index === 0 ? 0 : index + (base > 0 ? 0 : 1)), scales)]
      : [],
  )
  return `M${points.join('L')}`
}

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
  7 * DAY,
]
const MOST_TICKS = 6

/** Round times within the chart, not too near its ends. */
function ticks(from: number, to: number): number[] {
  const step = TICKS.find((length) => (to - from) / length <= MOST_TICKS) ?? 30 * DAY
  const first = Math.ceil((from + (to - from) * 0.04) / step) * step
  const times: number[] = []
  for (let time = first; time <= to - (to - from) * 0.04; time += step) times.push(time)
  return times
}

/** `05:18`, or the day at midnight. */
const clockOf = (time: number, always: boolean): string =>
  !always && time % DAY === 0 ? dayLabel(time) : new Date(time).toISOString().slice(11, 16)
