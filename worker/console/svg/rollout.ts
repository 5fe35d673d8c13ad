/** The curve of a rollout: how many nodes ran a code version by when, how many of these broke, and when the others are due. */

import type { DeployPage } from '../../insight/deploys/deploy-page.ts'
import { HOUR, MINUTE } from '../../lib/time.ts'
import { counted, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { AXIS, chartFrame, heightOf, type FrameFlag, type Point } from './chart-frame.ts'
import { clockOf } from './ticks.ts'

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
  const until = isOpen ? now : to
  const label = `${counted(ran.length, 'node')} of ${number(deploy.nodes)} ran it${broke.length > 0 ? `, ${number(broke.length)} of them broke` : ''}`
  const flags: readonly FrameFlag[] = [
    { time: start, text: clockOf(start, true), on: true, anchor: 'start' },
    ...(isOpen ? [{ time: now, text: 'now', on: false, anchor: 'middle' } as const] : []),
  ]
  const names = namesOf(ran.length, broke.length, deploy.nodes).map((name) => ({
    ...name,
    time: until,
  }))
  return chartFrame(
    { label, from, to, most: deploy.nodes, flags, names },
    (point) =>
      html`${curve(ran, until, 'ink', point)}${broke.length === 0 ? '' : curve(broke, until, 'failed', point)}
      ${isOpen && due.length > 0 ? html`<path class="line soon" d="${steps([now, ...due], ran.length, point)}" />` : ''}`,
  )
}

/** Room between a curve and its name, and between two names, in px. */
const ABOVE = 8
const LINE = 14

/** The names of the curves with their numbers, above their ends; below its curve where the upper one would cross it. */
function namesOf(ran: number, broke: number, nodes: number): { text: string; at: number }[] {
  const above = (count: number): number => heightOf(count, nodes) - ABOVE
  const names = [{ text: `rolled out: ${number(ran)}`, at: above(ran) }]
  const isCrossed = above(broke) < above(ran) + ABOVE + LINE
  const lower = isCrossed ? heightOf(broke, nodes) + LINE : above(broke)
  if (broke > 0 && lower < AXIS) names.push({ text: `broke: ${number(broke)}`, at: lower })
  return names
}

/** The filled curve of a count that grows by one at each time. */
function curve(times: readonly number[], until: number, hue: string, point: Point): Html {
  if (times.length === 0) return ''
  const line = `${steps(times, 0, point)}L${point(until, times.length)}`
  const area = `${line}L${point(until, 0)}L${point(times[0]!, 0)}z`
  return html`<path class="area ${hue}" d="${area}" /><path class="line ${hue}" d="${line}" />`
}

/** @param base the count before the first time */
function steps(times: readonly number[], base: number, point: Point): string {
  const every = Math.max(1, Math.ceil(times.length / MOST_POINTS))
  const points = times.flatMap((time, index) =>
    index % every === 0 || index === times.length - 1
      ? [point(time, base + (index === 0 ? 0 : index + (base > 0 ? 0 : 1)))]
      : [],
  )
  return `M${points.join('L')}`
}
