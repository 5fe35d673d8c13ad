/** The map of the fleet as a card: its groups with their numbers, and the key of its shapes. */

import type { FailingCode, FleetMap } from '../../insight/nodes/node-map.ts'
import { runsNext } from '../../insight/nodes/node-map.ts'
import type { View } from '../../insight/view.ts'
import { address, chosenOf, OF_NODES } from '../address.ts'
import { counted, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, type Html } from '../html.ts'
import {
  cellsOf,
  findable,
  linksOf,
  MOST_TITLED,
  shaped,
  type Grid,
  type MapDrawing,
  type ShapedGroup,
} from '../svg/node-map.ts'
import type { Visit } from '../visit.ts'
import { icon } from './mark.ts'

/** The width of a group in pixels: the card is 380 px wide beside the chart. */
const WIDTH = 346

/** Pitch and side of the cells in pixels, by the number of nodes on the map. */
const SIZES = [
  { upTo: MOST_TITLED, pitch: 14, side: 11 },
  { upTo: 2000, pitch: 9, side: 7 },
  { upTo: Infinity, pitch: 6, side: 5 },
] as const

/** What a map draws: the shapes of its cells, and how many of them may be links. */
export const drawingOf = (
  view: Pick<View, 'nodeGroup'>,
  { now }: Visit,
  map: FleetMap,
  code: FailingCode | null,
): { readonly groups: readonly ShapedGroup[]; readonly drawing: MapDrawing } => {
  const waits = code === null ? () => false : runsNext(view, code)
  const groups = map.groups.map((group) => shaped(group, waits))
  return {
    groups,
    drawing: {
      now,
      code: code === null ? null : short(code.code_version),
      paths: map.nodes > MOST_TITLED,
      links: linksOf(groups),
    },
  }
}

/** The number of nodes that run the failing code next. */
export const nextOf = (groups: readonly ShapedGroup[]): number =>
  groups.reduce((sum, { shapes }) => sum + (shapes.get('next')?.length ?? 0), 0)

/** @param code what fails and is still to come to other nodes of its group */
export function nodeMap(
  visit: Visit,
  view: Pick<View, 'nodeGroup'>,
  map: FleetMap,
  code: FailingCode | null,
): Html {
  const { groups, drawing } = drawingOf(view, visit, map, code)
  const { pitch, side } = SIZES.find(({ upTo }) => map.nodes <= upTo)!
  const columns = Math.floor((WIDTH - side) / pitch) + 1
  const grid: Grid = {
    pitch,
    side,
    place: (index) => [index % columns, Math.floor(index / columns)],
  }
  const names = address('/console/wall.json', { ...chosenOf(visit.url, OF_NODES), by: map.by })
  return html`<div class="map" data-names="${names}">
      ${each(groups, (group) => groupPart(visit, map, group, { grid, columns, drawing }))}
    </div>
    ${key(code)}`
}

function groupPart(
  { url }: Visit,
  { by }: FleetMap,
  group: ShapedGroup,
  { grid, columns, drawing }: { grid: Grid; columns: number; drawing: MapDrawing },
): Html {
  const { name, nodes, failing } = group
  const width = Math.min(nodes, columns) * grid.pitch - (grid.pitch - grid.side)
  const height = Math.ceil(nodes / columns) * grid.pitch - (grid.pitch - grid.side)
  const chosen = chosenOf(url, OF_NODES)
  const href = address(
    '/console/nodes',
    by === 'environment' ? { ...chosen, env: name } : { ...chosen, q: name },
  )
  const failed = failing === 0 ? '' : `, ${number(failing)} failed`
  return html`<div>
    <h3>
      <a href="${href}">${name}</a> <span class="muted">${number(nodes)}</span>
      ${failing === 0 ? '' : html`<span class="failed">${number(failing)} failed</span>`}
    </h3>
    <svg
      width="${width}"
      height="${height}"
      viewBox="0 0 ${width} ${height}"
      ${findable(group, grid, drawing, { per: columns, axis: 'row' })}
      role="group"
      aria-label="${name}: ${counted(nodes, 'node')}${failed}"
    >
      ${cellsOf(group, grid, drawing)}
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

const key = (code: FailingCode | null): Html =>
  html`<p class="key">
    <span class="st"><span class="failed">${icon('cross')}</span>failed</span>
    <span class="st"><span class="drift">${icon('diamond')}</span>drift corrected</span>
    <span class="st"><span class="changed">${icon('disc')}</span>changed</span>
    <span class="st"><span class="changed">${icon('disc', true)}</span>pending</span>
    <span class="st">${FINE_SWATCH}unchanged</span>
    <span class="st">${SILENT_SWATCH}silent</span>
    ${code === null ? '' : html`<span class="st">${NEXT_SWATCH}runs ${short(code.code_version)} next</span>`}
  </p>`
