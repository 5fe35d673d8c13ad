/** Cells of a map of nodes: exceptions are links with a shape a state; what is fine is a square, or one path a group on large maps. */

import type { FleetCell, FleetMapGroup } from '../../insight/nodes/node-map.ts'
import { nodeAddress } from '../address.ts'
import { age } from '../format.ts'
import { html, type Html } from '../html.ts'
import { wordOf } from '../parts/mark.ts'

/** How the cells of a map are laid out, in pixels of its picture. */
export interface Grid {
  /** From one cell to the next. */
  readonly pitch: number
  /** Side of a cell. */
  readonly side: number
  /** The place of a cell among those of its group. */
  readonly place: (index: number) => readonly [column: number, row: number]
}

/** What a map shows beside the cells. */
export interface MapDrawing {
  readonly now: number
  /** The short name of the code that cells of the shape `next` run next, and that fails on others. */
  readonly code: string | null
  /** Maps of more nodes draw what is fine as one path a group. */
  readonly paths: boolean
  /** How many cells of each shape may still be links; counts down while a map is drawn. */
  readonly links: Map<CellShape, number>
}

/** Most nodes whose cells each have a title. */
export const MOST_TITLED = 500
/** Smaller cells have no room for a cross. */
const LEAST_CROSSED = 8
/** Most links of a map, so that a first visit stays below 30 KB; script finds the nodes of the other cells. */
export const MOST_LINKS = 100

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

/** What script needs to find the node under the pointer, where what is fine has no titles. */
export const findable = (
  { name }: { readonly name: string },
  { pitch }: Grid,
  { paths }: MapDrawing,
  layout: { readonly per: number; readonly axis: 'row' | 'column' },
): Html =>
  paths
    ? html` data-group="${name}" data-pitch="${pitch}" data-per="${layout.per}"
      data-axis="${layout.axis}"`
    : ''

/** Shapes from the most urgent on: with few links left, these get them. */
const URGENT: readonly CellShape[] = ['failed', 'next', 'silent', 'corrective', 'would', 'changed']

/** A shape leaves this share of the links to less urgent ones. */
const SHARED = 0.3

/** Which cells of a map are links: the most urgent shapes first, in all groups alike. */
export function linksOf(groups: readonly ShapedGroup[]): Map<CellShape, number> {
  const counts = new Map<CellShape, number>()
  for (const { shapes } of groups)
    for (const [shape, { length }] of shapes) counts.set(shape, (counts.get(shape) ?? 0) + length)
  let left = MOST_LINKS
  return new Map(
    URGENT.map((shape) => {
      const count = counts.get(shape) ?? 0
      const linked = Math.min(
        count,
        left,
        Math.max(Math.ceil(left * (1 - SHARED)), left - others(counts, shape)),
      )
      left -= linked
      return [shape, linked]
    }),
  )
}

/** The number of exceptions that are less urgent. */
const others = (counts: ReadonlyMap<CellShape, number>, shape: CellShape): number =>
  URGENT.slice(URGENT.indexOf(shape) + 1).reduce((sum, one) => sum + (counts.get(one) ?? 0), 0)

/** The cells of a group. */
export function cellsOf({ cells, shapes }: ShapedGroup, grid: Grid, drawing: MapDrawing): Html[] {
  const fine = shapes.get('fine') ?? []
  const titled = (index: number, code: string | null): string =>
    titleOf(cells[index]!, code, drawing.now)
  const pieces: Html[] = drawing.paths
    ? [path('fine', fine, grid)]
    : fine.map((index) => html`${square('f-quiet-2', index, grid, titled(index, null))}`)
  for (const shape of URGENT) {
    const those = shapes.get(shape) ?? []
    const left = drawing.links.get(shape) ?? 0
    const linked = those.slice(0, left)
    drawing.links.set(shape, left - linked.length)
    for (const index of linked) {
      const { certname, run } = cells[index]!
      const title = titled(index, shape === 'next' ? drawing.code : null)
      pieces.push(
        html`<a href="${nodeAddress(certname)}"
          >${drawn(shape, run?.state === 'failed', index, grid)}<title>${title}</title></a
        >`,
      )
    }
    const rest = those.slice(linked.length)
    if (rest.length > 0) pieces.push(path(shape, rest, grid))
  }
  return pieces
}

/** At most one decimal, without the noise of binary fractions. */
const round = (value: number): number => Math.round(value * 10) / 10

/** Shapes that are drawn over each other: the hole of what is hollow, and the dot of what runs failing code next. */
const OVER: Partial<Readonly<Record<CellShape, (side: number) => number>>> = {
  would: (side) => side - 3,
  silent: (side) => side - 2,
  next: (side) => side * 0.45,
}

/**
 * Cells as one dashed path through their centres: a dash is a point, and its cap is as large as a cell. Cells beside or below
 * each other are one line, so that a whole row takes a few characters.
 */
function path(shape: CellShape, places: readonly number[], { pitch, side, place }: Grid): Html {
  const lines: { x: number; y: number; length: number; across: boolean }[] = []
  let last: readonly [column: number, row: number] | null = null
  for (const index of places) {
    const [column, row] = place(index)
    const line = lines.at(-1)
    const across = last?.[1] === row && last[0] === column - 1
    const down = last?.[0] === column && last[1] === row - 1
    if (line && (across || down) && (line.length === 1 || line.across === across)) {
      line.length++
      line.across = across
    } else lines.push({ x: column, y: row, length: 1, across: true })
    last = [column, row]
  }
  const centre = (cells: number): number => round(cells * pitch + side / 2)
  const d = lines
    .map(({ x, y, length, across }) => {
      // A little longer, so that the last point is on it.
      const long = round((length - 1) * pitch + 0.1)
      return `M${centre(x)} ${centre(y)}${across ? 'h' : 'v'}${long}`
    })
    .join('')
  const drawn = (kind: string, width: number): Html =>
    html`<path
      class="cells ${kind}"
      stroke-width="${round(width)}"
      stroke-dasharray="0 ${pitch}"
      d="${d}"
      ><title>${WORDS[shape]}</title></path
    >`
  const over = OVER[shape]
  return html`${drawn(shape, side)}${over === undefined ? '' : drawn(`${shape} over`, over(side))}`
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

function square(fill: string, index: number, { pitch, side, place }: Grid, title: string): Html {
  const [column, row] = place(index)
  return html`<rect
    class="${fill}"
    x="${round(column * pitch)}"
    y="${round(row * pitch)}"
    width="${side}"
    height="${side}"
    rx="${round(side / 6)}"
    ><title>${title}</title></rect
  >`
}

/** The shape of an exception. Colours are told apart by form, too: cross, dot, dashes, diamond, ring, disc. */
function drawn(
  shape: CellShape,
  failed: boolean,
  index: number,
  { pitch, side, place }: Grid,
): Html {
  const [column, row] = place(index)
  const [x, y, half] = [round(column * pitch), round(row * pitch), side / 2]
  const [cx, cy] = [round(x + half), round(y + half)]
  const body = (fill: string): Html =>
    html`<rect
      class="${fill}"
      x="${x}"
      y="${y}"
      width="${side}"
      height="${side}"
      rx="${round(side / 6)}"
    />`
  switch (shape) {
    case 'failed': {
      if (side < LEAST_CROSSED) return body('f-failed')
      const arm = round(side * 0.2)
      return html`${body('f-failed')}<path
          class="x"
          d="M${round(cx - arm)} ${round(cy - arm)}l${2 * arm} ${2 * arm}m0-${2 * arm}l-${2 * arm} ${2 * arm}"
        />`
    }
    case 'next':
      return html`${body('f-quiet-2')}<circle
          class="due"
          cx="${cx}"
          cy="${cy}"
          r="${round(side * 0.22)}"
        />`
    case 'silent':
      return html`<rect
        class="f-none${failed ? ' s-failed' : ''}"
        x="${x + 0.75}"
        y="${y + 0.75}"
        width="${round(side - 1.5)}"
        height="${round(side - 1.5)}"
        rx="1"
        stroke-dasharray="2 2"
      />`
    case 'corrective':
      return html`<path
        class="f-drift"
        d="M${cx} ${round(cy - half)}l${half} ${half}-${half} ${half}-${half}-${half}z"
      />`
    case 'would':
      return html`<circle class="f-would" cx="${cx}" cy="${cy}" r="${round(half - 1)}" />`
    default:
      return html`<circle class="f-changed" cx="${cx}" cy="${cy}" r="${round(half - 0.5)}" />`
  }
}

/** `web-0000: failed, ran 48 min ago`. */
function titleOf(
  { certname, run, silent, latest }: FleetCell,
  code: string | null,
  now: number,
): string {
  if (run === null || latest === null) return `${certname}: never reported`
  const ago = age(now - latest)
  const rest = [
    wordOf(run),
    silent && `silent for ${ago}`,
    code !== null && `runs ${code} next`,
    !silent && `ran ${ago} ago`,
  ]
  return `${certname}: ${rest.filter(Boolean).join(', ')}`
}
