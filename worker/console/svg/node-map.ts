/** Cells of a map of nodes: a path for each state of a group, with a shape of its own. Script finds the node under the pointer. */

import type { FleetCell, FleetMapGroup } from '../../insight/nodes/node-map.ts'
import { html, type Html } from '../html.ts'

/** How the cells of a group are laid out, row by row, in pixels of its picture. */
export interface Grid {
  /** From one cell to the next. */
  readonly pitch: number
  /** Side of a cell. */
  readonly side: number
  readonly columns: number
}

/** The place of a cell in its group. */
const placeOf = (index: number, { columns }: Grid): readonly [column: number, row: number] => [
  index % columns,
  Math.floor(index / columns),
]

/** Cells of so many pixels have room for a cross. */
const LEAST_CROSSED = 5
export type CellShape = 'failed' | 'corrective' | 'changed' | 'would' | 'silent' | 'next' | 'fine'

/** A group with the indices of its cells by shape. */
export interface ShapedGroup extends FleetMapGroup {
  readonly shapes: ReadonlyMap<CellShape, readonly number[]>
}

/** @param runsNext whether a node runs failing code next */
export function shaped(group: FleetMapGroup, runsNext: (cell: FleetCell) => boolean): ShapedGroup {
  const shapes = new Map<CellShape, number[]>()
  for (const [index, cell] of group.cells.entries()) {
    const shape = shapeOf(cell, runsNext)
    const places = shapes.get(shape)
    if (places) places.push(index)
    else shapes.set(shape, [index])
  }
  return { ...group, shapes }
}

const shapeOf = (cell: FleetCell, runsNext: (cell: FleetCell) => boolean): CellShape => {
  const { run, silent } = cell
  if (run === null || silent) return 'silent'
  if (run.state === 'failed') return 'failed'
  if (runsNext(cell)) return 'next'
  if (run.state === 'unchanged') return 'fine'
  return run.noop ? 'would' : run.state
}

/** Shapes from the most urgent on. */
const URGENT: readonly CellShape[] = [
  'fine',
  'failed',
  'next',
  'silent',
  'corrective',
  'would',
  'changed',
]

/** Shapes that leave corners of their cell free, where another cell beneath would be seen. */
const ROUND: ReadonlySet<CellShape> = new Set(['changed', 'would'])

/**
 * The cells of a group: a path for each shape, so that a reader of the page hears the group and not its cells. Unchanged cells
 * are drawn beneath all others: their lines are whole rows then, of a few characters each.
 */
export const cellsOf = ({ cells, shapes }: ShapedGroup, grid: Grid): Html[] =>
  URGENT.flatMap((shape) => {
    const places = shapes.get(shape) ?? []
    if (places.length === 0) return []
    if (shape === 'fine') return [paths(shape, [...cells.keys()], grid, false)]
    return [paths(shape, places, grid, shapes.has('fine') && ROUND.has(shape))]
  })

/** At most one decimal, without the noise of binary fractions. */
const round = (value: number): number => Math.round(value * 10) / 10

/** Shapes that are drawn over each other: the hole of what is hollow, and the dot of what runs failing code next. */
const OVER: Partial<Readonly<Record<CellShape, (side: number) => number>>> = {
  would: (side) => side - 3,
  silent: (side) => side - 2,
  next: (side) => side * 0.45,
}

/** A cell is cleared a little beyond its edge, where the one beneath is smoothed. */
const EDGE = 0.6

/** @param isCleared whether another cell is beneath each */
function paths(shape: CellShape, places: readonly number[], grid: Grid, isCleared: boolean): Html {
  const { side } = grid
  const line = lineThrough(places, grid)
  const drawn = (kind: string, width: number): Html =>
    html`<path class="cells ${kind}" ${line(width)}><title>${WORDS[shape]}</title></path>`
  const over = OVER[shape]
  return html`${isCleared ? html`<path class="cells under" ${line(side + EDGE)} />` : ''}${drawn(shape, side)}${over === undefined ? '' : drawn(`${shape} over`, over(side))}${shape === 'failed' && side >= LEAST_CROSSED ? html`<path fill="none" stroke="url(#map-cross)" stroke-linecap="square" ${line(side)} />` : ''}`
}

/**
 * Cells as one dashed path through their centres: a dash is a point, and its cap is as large as a cell. Cells beside each other are
 * one line, so that a whole row takes a few characters.
 */
function lineThrough(places: readonly number[], grid: Grid): (width: number) => Html {
  const { pitch, side } = grid
  const lines: { x: number; y: number; length: number }[] = []
  for (const index of places) {
    const [x, y] = placeOf(index, grid)
    const line = lines.at(-1)
    if (line?.y === y && line.x + line.length === x) line.length++
    else lines.push({ x, y, length: 1 })
  }
  const centre = (cells: number): number => round(cells * pitch + side / 2)
  // A little longer, so that the last point is on it.
  const d = lines
    .map(({ x, y, length }) => `M${centre(x)} ${centre(y)}h${round((length - 1) * pitch + 0.1)}`)
    .join('')
  return (width) => html`stroke-width="${round(width)}" stroke-dasharray="0 ${pitch}" d="${d}"`
}

/** What is drawn on each cell that failed, as hue is not enough: a picture of the page has to hold it once. */
export function crossPattern({ pitch, side }: Grid): Html {
  const arm = round(side * 0.24)
  const from = round(side / 2 - arm)
  return html`<pattern
    id="map-cross"
    width="${pitch}"
    height="${pitch}"
    patternUnits="userSpaceOnUse"
  >
    <path
      class="x"
      stroke-width="${round(side * 0.15)}"
      d="M${from} ${from}l${2 * arm} ${2 * arm}m0-${2 * arm}l-${2 * arm} ${2 * arm}"
    />
  </pattern>`
}

const WORDS: Readonly<Record<CellShape, string>> = {
  failed: 'failed',
  next: 'runs failing code next',
  silent: 'silent',
  corrective: 'drift corrected',
  would: 'pending',
  changed: 'changed',
  fine: 'unchanged',
}
