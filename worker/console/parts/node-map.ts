/** The map of the fleet as a card: its groups with their numbers, and the key of its shapes. */

import {
  MAP_GROUPINGS,
  runsNext,
  type FailingCode,
  type FleetMap,
} from '../../insight/nodes/node-map.ts'
import { address, changed, chosenOf, groupAddress, OF_NODES, OF_RUNS } from '../address.ts'
import { number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, type Html } from '../html.ts'
import {
  cellsOf,
  crossPattern,
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

/** Of a map, the grid of a group with so many nodes. */
type Fit = (map: FleetMap) => (nodes: number) => Grid

const inCard: Fit = (map) => {
  const { pitch, side } = SIZES.find(({ upTo }) => map.nodes <= upTo)!
  const columns = Math.floor((WIDTH - side) / pitch) + 1
  return () => ({ pitch, side, columns })
}

/** The part of a screen of 1,600 by 900 that cells fill, in square pixels. */
const WALL_AREA = 150_000
/** The name of a group takes the room of so many cells. */
const CELLS_OF_NAME = 12
const LARGEST_PITCH = 32
const SMALLEST_PITCH = 3

/** As large as fits, and groups that are wider than tall. */
const onWall: Fit = ({ nodes, groups }) => {
  const fitting = Math.sqrt(WALL_AREA / (nodes + CELLS_OF_NAME * groups.length))
  const pitch = Math.min(LARGEST_PITCH, Math.max(SMALLEST_PITCH, Math.floor(fitting)))
  return (some) => ({ pitch, side: pitch * 0.8, columns: Math.ceil(Math.sqrt(3 * some)) })
}

/** The number of nodes that run the failing code next. */
const nextOf = (groups: readonly ShapedGroup[]): number =>
  groups.reduce((sum, { shapes }) => sum + (shapes.get('next')?.length ?? 0), 0)

/** The map on Fleet, with its choice of grouping. */
export function mapCard(visit: Visit, found: FoundMap): Html {
  const by = answerOf(found.map)?.map.by
  const { url } = visit
  const choices = MAP_GROUPINGS.map((name) => ({
    href: changed(url, { map: name === 'group' ? null : name }),
    name: `by ${name}`,
    chosen: name === by,
  }))
  const wall = address('/console', { ...chosenOf(url, OF_RUNS), layout: 'wall' })
  return by === undefined
    ? ''
    : card(
        {
          name: 'Map',
          note: 'one cell per node',
          actions: html`${linkMenu(html`By <b>${by}</b>`, choices, 'end')}<a
              class="btn"
              href="${wall}"
              >Wall</a
            >`,
        },
        picture(visit, found, inCard),
      )
}

/** The map on the wall, the worst groups first. */
export const wallMap = (visit: Visit, found: FoundMap): Html => picture(visit, found, onWall)

type FoundMap = Pick<FoundFleet, 'view' | 'map' | 'code'>

function picture(visit: Visit, { view, code, ...found }: FoundMap, fit: Fit): Html {
  const map = answerOf(found.map)?.map
  if (map === undefined) return ''
  const waits = code === null ? () => false : runsNext(view, code)
  const groups = map.groups.map((group) => shaped(group, waits))
  const names = address('/console/map.json', { ...chosenOf(visit.url, OF_NODES), map: map.by })
  const gridOf = fit(map)
  const shown =
    fit === onWall ? groups.toSorted((one, other) => other.failing - one.failing) : groups
  return html`<div class="map" data-names="${names}">
      ${each(shown, (group, index) => groupPart(visit, map, group, gridOf(group.nodes), index === 0))}
    </div>
    ${mapKey(groups, code)}`
}

/** `3`, `all 12`; of a single node just that it is so. */
const allOf = (count: number, nodes: number): string =>
  nodes === 1 ? '' : `${count === nodes ? 'all ' : ''}${number(count)}`

/** Pictures grow with the type of their map. */
const UNIT = 16

/** @param isFirst whether the picture holds what all use */
function groupPart(
  { url }: Visit,
  { by }: FleetMap,
  group: ShapedGroup,
  grid: Grid,
  isFirst: boolean,
): Html {
  const { name, nodes, failing } = group
  const { pitch, side, columns } = grid
  const width = Math.min(nodes, columns) * pitch - (pitch - side)
  const height = Math.ceil(nodes / columns) * pitch - (pitch - side)
  const href =
    by === 'environment'
      ? address('/console/nodes', { ...chosenOf(url, OF_NODES), env: name })
      : groupAddress(url, name)
  const silent = group.shapes.get('silent')?.length ?? 0
  return html`<div>
    <h3>
      <a href="${href}">${name}</a> <span class="muted">${number(nodes)}</span>
      ${failing === 0 ? '' : html`<span class="failed">${allOf(failing, nodes)} failed</span>`}
      ${silent === 0 ? '' : html`<b>${allOf(silent, nodes)} silent</b>`}
    </h3>
    <svg
      width="${width / UNIT}em"
      height="${height / UNIT}em"
      viewBox="0 0 ${width} ${height}"
      data-group="${name}"
      data-pitch="${pitch}"
      data-columns="${columns}"
      aria-hidden="true"
    >
      ${isFirst ? crossPattern(grid) : ''}${cellsOf(group, grid)}
    </svg>
  </div>`
}

const swatch = (shape: Html): Html =>
  html`<svg class="i" viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>`

const square = (fill: string): Html =>
  swatch(html`<rect class="${fill}" width="12" height="12" rx="2" />`)
/** As cells are drawn: a frame, where a bar of silent nodes is dashed. */
const FRAME = swatch(
  html`<rect class="f-none" x=".75" y=".75" width="10.5" height="10.5" rx="1.5" />`,
)
const NEXT_SWATCH = swatch(
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
  ['corrective', html`${square('f-corrective')}drift corrected`],
  ['changed', html`<span class="changed">${icon('disc')}</span>changed`],
  ['would', html`<span class="changed">${icon('disc', true)}</span>pending`],
  ['fine', html`${square('f-quiet-2')}unchanged`],
  ['silent', html`${FRAME}silent`],
]

/** The shapes that a map has, in words. */
function mapKey(groups: readonly ShapedGroup[], code: FailingCode | null): Html {
  const shown = KEY.filter(([shape]) => groups.some(({ shapes }) => shapes.has(shape)))
  return html`<p class="key">
    ${each(shown, ([, name]) => html`<span class="st">${name}</span> `)}
    ${code === null || nextOf(groups) === 0 ? '' : html`<span class="st">${NEXT_SWATCH}runs ${short(code.code_version)} next</span>`}
  </p>`
}
