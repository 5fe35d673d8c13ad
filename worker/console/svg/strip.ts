/** A strip of runs: a bar each, newest at the right edge. Height and fill say what the colour says. */

import type { RunState, StateName } from '../../schema/states.ts'
import { html, type Html } from '../html.ts'
import { wordOf } from '../parts/mark.ts'
import { counted, listed } from '../words.ts'

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

/** A run in a strip; null is one that did not come. */
export type Slot = (RunState & { readonly time: string }) | null

/** One path for each state, however many runs there are: a page has many strips. */
export function strip(slots: readonly Slot[], length: number): Html {
  const width = length * STEP
  const shown = slots.slice(-length)
  const first = length - shown.length
  const paths = new Map<string, string>()
  const draw = (kind: string, path: string) => paths.set(kind, (paths.get(kind) ?? '') + path)
  if (first > 0) draw('f-base', `M0 ${HEIGHT - 1}h${first * STEP}v1H0z`)
  shown.forEach((slot, index) => {
    const x = (first + index) * STEP
    if (slot === null) draw('f-base', `M${x} ${HEIGHT - 1}h${STEP}v1h-${STEP}z`)
    else if (slot.noop)
      draw(`f-${slot.state} hollow`, box(x + 0.6, HEIGHTS[slot.state] - 0.6, BAR - 1.2))
    else draw(`f-${slot.state}`, box(x, HEIGHTS[slot.state], BAR))
  })
  return html`<svg
    class="strip"
    width="${width}"
    height="${HEIGHT}"
    role="img"
    aria-label="${sentence(slots)}"
  >
    ${[...paths].map(([kind, path]) => html`<path class="${kind}" d="${path}" />`)}
  </svg>`
}

const box = (x: number, height: number, width: number): string =>
  `M${x} ${HEIGHT - height}h${width}V${HEIGHT}h-${width}z`

/** What a strip shows, for those who hear it. */
function sentence(slots: readonly Slot[]): string {
  const counts = new Map<string, number>()
  const runs = slots.filter((slot) => slot !== null)
  for (const run of runs) counts.set(wordOf(run), (counts.get(wordOf(run)) ?? 0) + 1)
  const missing = slots.length - runs.length
  const kinds = [...counts].map(([word, count]) => `${count} ${word}`)
  return `${counted(runs.length, 'run')}, newest last: ${listed(kinds)}${missing > 0 ? `, then ${missing} missing` : ''}`
}

/** A strip in which each run is a link, for the page of one node. */
export function linkedStrip(
  runs: readonly (RunState & { readonly time: string; readonly href: string })[],
): Html {
  const step = 10
  const scale = 2
  const height = HEIGHT * scale
  return html`<svg
    class="strip"
    viewBox="0 0 ${runs.length * step} ${height}"
    width="${runs.length * step}"
    height="${height}"
    role="group"
    aria-label="Runs, newest last"
  >
    ${runs.map((run, index) => {
      const tall = HEIGHTS[run.state] * scale
      const inset = run.noop ? 0.6 : 0
      return html`<a href="${run.href}"
        ><title>${run.time.slice(0, 16).replace('T', ' ')} UTC · ${wordOf(run)}</title
        ><rect class="hit" x="${index * step}" width="${step}" height="${height}" /><rect
          class="f-${run.state}${run.noop ? ' hollow' : ''}"
          x="${index * step + 1 + inset}"
          y="${height - tall + inset}"
          width="${8 - 2 * inset}"
          height="${tall - 2 * inset}"
      /></a>`
    })}
  </svg>`
}

/**
 * The runs of a node that has fallen silent, with a gap for each that should have come since.
 *
 * @param silent whether it has; a node that reports is drawn as it is
 */
export function withGaps(
  runs: readonly Exclude<Slot, null>[],
  silent: boolean,
  now: number,
): Slot[] {
  const times = runs.map(({ time }) => Date.parse(time))
  const between = times.slice(1).map((time, index) => time - times[index]!)
  const usual = between.sort((one, other) => one - other)[between.length >> 1]
  if (!silent || !usual || usual <= 0) return [...runs]
  const missing = Math.min(8, Math.floor((now - times.at(-1)!) / usual))
  return [...runs, ...Array.from({ length: missing }, () => null)]
}
