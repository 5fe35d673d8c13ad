/** Runs over time as stacked bars, each linked to its runs. The worst state is at the bottom, where heights are easy to compare. */

import type { Timeline } from '../../insight/timeline.ts'
import { DAY, HOUR } from '../../lib/time.ts'
import type { StateName, StateCount } from '../../schema/states.ts'
import { html, type Html } from '../html.ts'
import { wordOf } from '../parts/mark.ts'
import { counted, listed, number } from '../format.ts'
import { fillClass } from './strip.ts'

const HEIGHT = 72
const STEP = 12
const BAR = 10
/** The least height of a bar that is not zero. */
const LEAST = 2.5

const ORDER: readonly StateName[] = ['failed', 'corrective', 'changed', 'unchanged']

/** @param href the address of the runs of a bucket */
export function bars(
  { buckets, deploys, bucket }: Timeline,
  href: (start: number, end: number) => string,
): Html {
  const most = Math.max(1, ...buckets.map(({ runs }) => runs))
  const length = bucket === 'hour' ? HOUR : DAY
  const first = Date.parse(buckets[0]?.start ?? '')
  return html`<svg
    class="bars"
    viewBox="0 0 ${Math.max(1, buckets.length) * STEP} ${HEIGHT}"
    height="${HEIGHT}"
    preserveAspectRatio="none"
    role="group"
    aria-label="Runs per ${bucket}"
  >
    <path class="rule" d="M0 ${HEIGHT - 0.5}h${buckets.length * STEP}" />
    ${buckets.map(({ start, runs, states }, index) => {
      const from = Date.parse(start)
      return html`<a href="${href(from, from + length)}"
        ><title>${label(start, bucket, runs, states)}</title
        ><rect
          class="hit"
          x="${index * STEP}"
          width="${STEP}"
          height="${HEIGHT}"
        />${stack(states, most, index * STEP + 1)}</a
      >`
    })}${deploys.map(({ time }) => {
      const x = (((Date.parse(time) - first) / length) * STEP).toFixed(1)
      return html`<path class="rule deploy" d="M${x} 0v${HEIGHT}" />`
    })}
  </svg>`
}

function stack(states: readonly StateCount[], most: number, x: number): Html[] {
  let y = HEIGHT - 1
  return states
    .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
    .map((one) => {
      const { noop, count } = one
      const height = Math.max(LEAST, (count / most) * (HEIGHT - 8))
      y -= height
      const inset = noop ? 0.6 : 0
      return html`<rect
        class="${fillClass(one)}"
        x="${x + inset}"
        y="${(y + inset).toFixed(1)}"
        width="${BAR - 2 * inset}"
        height="${(height - 2 * inset).toFixed(1)}"
      />`
    })
}

function label(start: string, bucket: string, runs: number, states: readonly StateCount[]): string {
  const time =
    bucket === 'hour' ? `${start.slice(0, 16).replace('T', ' ')} UTC` : start.slice(0, 10)
  const kinds = states.map((one) => `${number(one.count)} ${wordOf(one)}`)
  return runs === 0 ? `${time}: no runs` : `${time}: ${counted(runs, 'run')}: ${listed(kinds)}`
}
