/** The map of the fleet as a card: its groups with their numbers, and the key of its shapes. */

import {
  MAP_GROUPINGS,
  runsNext,
  type FailingCode,
  type FleetMap,
} from '../../insight/nodes/node-map.ts'
import type { View } from '../../insight/view.ts'
import { address, changed, chosenOf, groupAddress, OF_NODES, OF_RUNS } from '../address.ts'
import { number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, type Html } from '../html.ts'
import {
  cellsOf,
  findable,
  shaped,
  type CellShape,
  type Grid,
  type ShapedGroup,
} from '../svg/node-map.ts'
import { answerOf, type Visit } from '../visit.ts'
import type { FoundFleet } from './found-fleet.ts'
import { card } from './list.ts'
import { icon } from './mark.ts'
import { linkMenu } from './menu.ts'

/** The width of a group in pixels: the card is 380 px wide beside the chart. */
const WIDTH = 346

/** Pitch and side of the cells in pixels, by the number of nodes on the map. */
const SIZES = [
  { upTo: 500, pitch: 14, side: 11 },
  { upTo: 2000, pitch: 9, side: 7 },
  { upTo: Infinity, pitch: 6, side: 5 },
] as const

/** The groups of a map with the shapes of their cells. */
export const shapedGroups = (
  view: Pick<View, 'nodeGroup'>,
  { groups }: FleetMap,
  code: FailingCode | null,
): readonly ShapedGroup[] => {
  const waits = code === null ? () => false : runsNext(view, code)
  return groups.map((group) => shaped(group, waits))
}

/** The number of nodes that run the failing code next. */
export const nextOf = (groups: readonly ShapedGroup[]): number =>
  groups.reduce((sum, { shapes }) => sum + (shapes.get('next')?.length ?? 0), 0)

/** The map on Fleet, with its choice of grouping. */
export function mapCard(
  visit: Visit,
  { view, code, ...found }: Pick<FoundFleet, 'view' | 'map' | 'code'>,
): Html {
  const map = answerOf(found.map)?.map
  if (map === undefined) return ''
  const { url } = visit
  const groups = shapedGroups(view, map, code)
  const { pitch, side } = SIZES.find(({ upTo }) => map.nodes <= upTo)!
  const columns = Math.floor((WIDTH - side) / pitch) + 1
  const grid: Grid = {
    pitch,
    side,
    place: (index) => [index % columns, Math.floor(index / columns)],
  }
  const names = address('/console/map.json', { ...chosenOf(visit.url, OF_NODES), map: map.by })
  const choices = MAP_GROUPINGS.map((name) => ({
    href: changed(url, { map: name === 'group' ? null : name }),
    name: `by ${name}`,
    chosen: name === map.by,
  }))
  const wall = address('/console', { ...chosenOf(url, OF_RUNS), layout: 'wall' })
  return card(
    {
      name: 'Map',
      note: 'one cell per node',
      actions: html`${linkMenu(html`By <b>${map.by}</b>`, choices, 'end')}<a
          class="btn"
          href="${wall}"
          >Wall</a
        >`,
    },
    html`<div class="map" data-names="${names}">
        ${each(groups, (group) => groupPart(visit, map, group, { grid, columns }))}
      </div>
      ${mapKey(groups, code)}`,
  )
}

function groupPart(
  { url }: Visit,
  { by }: FleetMap,
  group: ShapedGroup,
  { grid, columns }: { grid: Grid; columns: number },
): Html {
  const { name, nodes, failing } = group
  const width = Math.min(nodes, columns) * grid.pitch - (grid.pitch - grid.side)
  const height = Math.ceil(nodes / columns) * grid.pitch - (grid.pitch - grid.side)
  const href =
    by === 'environment'
      ? address('/console/nodes', { ...chosenOf(url, OF_NODES), env: name })
      : groupAddress(url, name)
  const silent = group.shapes.get('silent')?.length ?? 0
  return html`<div>
    <h3>
      <a href="${href}">${name}</a> <span class="muted">${number(nodes)}</span>
      ${failing === 0 ? '' : html`<span class="failed">${failing === nodes ? 'all ' : ''}${number(failing)} failed</span>`}
      ${silent === 0 ? '' : html`<b>${silent === nodes ? 'all ' : ''}${number(silent)} silent</b>`}
    </h3>
    <svg
      width="${width}"
      height="${height}"
      viewBox="0 0 ${width} ${height}"
      ${findable(group, grid, { per: columns, axis: 'row' })}
      aria-hidden="true"
    >
      ${cellsOf(group, grid)}
    </svg>
  </div>`
}

const swatch = (shape: Html): Html =>
  html`<svg class="i" viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>`

export const FINE_SWATCH = swatch(html`<rect class="f-quiet-2" width="12" height="12" rx="2" />`)
export const NEXT_SWATCH = swatch(
  html`<rect class="f-quiet-2" width="12" height="12" rx="2" /><circle
      class="due"
      cx="6"
      cy="6"
      r="2.6"
    />`,
)
export const SILENT_SWATCH = swatch(
  html`<rect
    class="f-none"
    x=".75"
    y=".75"
    width="10.5"
    height="10.5"
    rx="1.5"
    stroke-dasharray="2 2"
  />`,
)

/** Shapes of cells in words, in the order of the key. */
const KEY: readonly (readonly [CellShape, Html])[] = [
  ['failed', html`<span class="failed">${icon('cross')}</span>failed`],
  ['corrective', html`<span class="drift">${icon('diamond')}</span>drift corrected`],
  ['changed', html`<span class="changed">${icon('disc')}</span>changed`],
  ['would', html`<span class="changed">${icon('disc', true)}</span>pending`],
  ['fine', html`${FINE_SWATCH}unchanged`],
  ['silent', html`${SILENT_SWATCH}silent`],
]

/** The shapes that a map has, in words. */
export function mapKey(groups: readonly ShapedGroup[], code: FailingCode | null): Html {
  const shown = KEY.filter(([shape]) => groups.some(({ shapes }) => shapes.has(shape)))
  return html`<p class="key">
    ${each(shown, ([, name]) => html`<span class="st">${name}</span> `)}
    ${code === null || nextOf(groups) === 0 ? '' : html`<span class="st">${NEXT_SWATCH}runs ${short(code.code_version)} next</span>`}
  </p>`
}
