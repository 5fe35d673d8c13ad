/** How a cause spreads: the nodes that fail by it over time, and when the nodes that run its code next are due. */

import type { SpreadStep } from '../../insight/causes/cause-page.ts'
import { MINUTE } from '../../lib/time.ts'
import { number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { chartFrame, type FrameFlag, type Point } from './chart-frame.ts'
import { clockOf } from './ticks.ts'

export interface Spread {
  readonly steps: readonly SpreadStep[]
  /** When the environment got the code by which it began, in ms; null where it began otherwise. */
  readonly deployed: number | null
  /** When the nodes that run that code next are due, in ms and in order. */
  readonly due: readonly number[]
}

/** @param now in ms */
export function spreadChart({ steps, deployed, due }: Spread, now: number): Html {
  const points = steps.map(({ time, nodes }) => [Date.parse(time), nodes] as const)
  const times = points.map(([time]) => time)
  const failing = points.at(-1)![1]
  const coming = due.map((time, index) => [Math.max(time, now), failing + index + 1] as const)
  const start = Math.min(deployed ?? Infinity, times[0]!)
  const end = Math.max(failing > 0 ? now : times.at(-1)!, ...coming.map(([time]) => time))
  const margin = Math.max(MINUTE, (end - start) * 0.06)
  const counts = [...points, ...coming].map(([, nodes]) => nodes)
  const most = Math.max(...counts)
  const flags: readonly FrameFlag[] = [
    ...(deployed === null
      ? []
      : [
          {
            time: deployed,
            text: `deploy, ${clockOf(deployed, true)}`,
            on: true,
            anchor: 'start',
          } as const,
        ]),
    ...(failing > 0 ? [{ time: now, text: 'now', on: false, anchor: 'middle' } as const] : []),
  ]
  const expected = coming.length === 0 ? '' : `, ${number(coming.length)} more expected`
  const label = `Nodes failing: at most ${number(Math.max(...points.map(([, nodes]) => nodes)))}, ${number(failing)} now${expected}`
  return chartFrame(
    { label, from: start - margin, to: end + margin, most, flags },
    (point) =>
      html`${failed([...points, ...(failing > 0 ? [[now, failing] as const] : [])], point)}
      ${coming.length === 0 ? '' : html`<path class="line soon" d="M${point(now, failing)}${stairs(coming, point)}" />`}`,
  )
}

type Step = readonly [time: number, nodes: number]

/** A line to each step: level until its time, then up or down. */
const stairs = (steps: readonly Step[], point: Point): string =>
  steps
    .map(([time, nodes]) => {
      const [x, y] = point(time, nodes).split(' ')
      return `H${x}V${y}`
    })
    .join('')

function failed(steps: readonly Step[], point: Point): Html {
  const [first, last] = [steps[0]![0], steps.at(-1)![0]]
  const line = `M${point(first, 0)}${stairs(steps, point)}`
  return html`<path class="area failed" d="${line}L${point(last, 0)}z" /><path
      class="line failed"
      d="${line}"
    />`
}
