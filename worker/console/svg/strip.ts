/** A strip of runs: one bar per run, newest right. Height and fill show the state as well as colour does. */

import type { Strip } from '../../insight/nodes/run-strip.ts'
import type { RunState, StateName } from '../../schema/states.ts'
import { html, raw, type Html } from '../html.ts'
import { wordOf } from '../parts/mark.ts'
import { counted, listed } from '../format.ts'

/** Heights of bars in px: the worse, the higher. */
const HEIGHTS: Readonly<Record<StateName, number>> = {
  failed: 16,
  corrective: 13,
  changed: 10,
  unchanged: 5,
}
const STEP = 6
const BAR = 4
const HEIGHT = 18

/** A run in a strip; null is a missing run. */
export type Slot = RunState | null
/** The parts of a run that are drawn. */
type Kind = Pick<RunState, 'state' | 'noop'>

/** Bars at equal distances: one path per state, whatever the number of runs, as a page has many strips. */
export function strip(slots: readonly Slot[], length: number): Html {
  const shown = slots.slice(-length)
  const first = length - shown.length
  const paths = new Map<string, string>()
  const draw = (kind: string, path: string): void => {
    paths.set(kind, (paths.get(kind) ?? '') + path)
  }
  // A line at the bottom, where there is no run.
  const base = (from: number, to: number): void =>
    draw('f-base', `M${from} ${HEIGHT - 1}H${to}v1H${from}z`)
  if (first > 0) base(0, first * STEP)
  shown.forEach((slot, index) => {
    const x = (first + index) * STEP
    if (slot === null) base(x, x + STEP)
    else draw(fillClass(slot), box(slot, x, BAR))
  })
  return html`<svg class="strip" width="${length * STEP}" height="${HEIGHT}" role="img">
    <title>${sentence(slots)}</title>
    ${raw(Array.from(paths, ([kind, path]) => `<path class="${kind}" d="${path}" />`).join(''))}
  </svg>`
}

export const fillClass = ({ state, noop }: Kind): string => `f-${state}${noop ? ' hollow' : ''}`

function box({ state, noop }: Kind, x: number, width: number): string {
  const inset = noop ? 0.6 : 0
  const inner = width - 2 * inset
  return `M${x + inset} ${HEIGHT - (HEIGHTS[state] - inset)}h${inner}V${HEIGHT}h-${inner}z`
}

/** The content of a strip in words, for screen readers. */
function sentence(slots: readonly Slot[]): string {
  const counts = new Map<string, number>()
  let missing = 0
  for (let from = 0, to = 0; from < slots.length; from = to) {
    const slot = slots[from]!
    // Equal neighbours are mostly the same object.
    while (to < slots.length && slots[to] === slot) to++
    if (slot === null) missing += to - from
    else {
      const word = wordOf(slot)
      counts.set(word, (counts.get(word) ?? 0) + to - from)
    }
  }
  const kinds = [...counts].map(([word, count]) => `${count} ${word}`)
  return `${counted(slots.length - missing, 'run')}, newest last: ${listed(kinds)}${missing > 0 ? `, then ${missing} missing` : ''}`
}

/** Runs that a strip of links has room for at least, so that few runs are no beams. */
const LEAST_LINKED = 48

/** A strip in which each run is a link, for the page of a node; the newest run is at its right edge. */
export function linkedStrip(
  runs: readonly (Kind & { readonly time: string; readonly href: string })[],
): Html {
  const step = 10
  const room = Math.max(runs.length, LEAST_LINKED)
  const before = room - runs.length
  const scale = 2
  const height = HEIGHT * scale
  return html`<svg
    class="strip"
    viewBox="0 0 ${room * step} ${height}"
    width="100%"
    height="${height}"
    preserveAspectRatio="none"
    role="group"
    aria-label="Runs, newest last"
  >
    ${runs.map((run, index) => {
      const tall = HEIGHTS[run.state] * scale
      const inset = run.noop ? 0.6 : 0
      return html`<a href="${run.href}"
        ><title>${run.time.slice(0, 16).replace('T', ' ')} UTC · ${wordOf(run)}</title
        ><rect class="hit" x="${(before + index) * step}" width="${step}" height="${height}" /><rect
          class="${fillClass(run)}"
          x="${(before + index) * step + 1 + inset}"
          y="${height - tall + inset}"
          width="${8 - 2 * inset}"
          height="${tall - 2 * inset}"
      /></a>`
    })}
  </svg>`
}

/**
 * The runs of a silent node, with a gap for each run that is missing since.
 *
 * @param silent whether the node is silent; without it there are no gaps
 */
export function withGaps({ states, runs }: Strip, silent: boolean, now: number): readonly Slot[] {
  if (!silent) return states
  const times = runs().map(({ time }) => Date.parse(time))
  const between = times.slice(1).map((time, index) => time - times[index]!)
  const interval = between.sort((one, other) => one - other)[between.length >> 1]
  if (!interval || interval <= 0) return states
  const missing = Math.min(8, Math.floor((now - times.at(-1)!) / interval))
  return [...states, ...Array.from({ length: missing }, () => null)]
}
