/** Lays the groups of a fleet out on a wide screen, with the largest cells that fit. */

import type { ShapedGroup } from './node-map.ts'

export interface PlacedGroup {
  readonly group: ShapedGroup
  readonly x: number
  readonly y: number
  /** Cells stand in columns of so many rows. */
  readonly rows: number
}

export interface WallLayout {
  readonly groups: readonly PlacedGroup[]
  readonly pitch: number
  readonly side: number
  readonly height: number
}

interface Screen {
  readonly width: number
  readonly height: number
}

/** Height of a group's label, gaps, and the width of a character of a label, in units of the picture. */
const LABEL = 28
const GAP = 36
const LINE_GAP = 18
const CHARACTER = 10.5
const LARGEST_PITCH = 56
const SMALLEST_PITCH = 3
const MOST_LINES = 8

/** Tries one to eight lines of groups, and of these the one with the largest cells. A fleet that fits none has the smallest cells and a taller picture. */
export function wallLayout(groups: readonly ShapedGroup[], screen: Screen): WallLayout {
  for (let pitch = LARGEST_PITCH; pitch > SMALLEST_PITCH; pitch *= 0.95) {
    for (let lines = 1; lines <= MOST_LINES; lines++) {
      const rows = Math.floor(((screen.height + LINE_GAP) / lines - LABEL - LINE_GAP) / pitch)
      if (rows < 1) break
      const placed = flow(groups, screen, rows, pitch)
      if (placed.lines <= lines) return layoutOf(placed, pitch, screen)
    }
  }
  const rows = Math.ceil(Math.sqrt(Math.max(1, ...groups.map(({ nodes }) => nodes))))
  return layoutOf(flow(groups, screen, rows, SMALLEST_PITCH), SMALLEST_PITCH, screen)
}

interface Flow {
  readonly groups: readonly PlacedGroup[]
  readonly lines: number
  readonly rows: number
}

/** Sets groups beside each other, and begins a line where one does not fit. */
function flow(
  groups: readonly ShapedGroup[],
  { width }: Screen,
  rows: number,
  pitch: number,
): Flow {
  let [x, line] = [0, 0]
  const placed = groups.map((group) => {
    const label = Math.min(12, group.name.length) + (group.failing > 0 ? 5 : 0)
    const wide = Math.max(Math.ceil(group.nodes / rows) * pitch, label * CHARACTER)
    if (x > 0 && x + wide > width) {
      x = 0
      line++
    }
    const at = { group, x: Math.round(x), y: line * (LABEL + rows * pitch + LINE_GAP), rows }
    // A group that is wider than the screen fits no line.
    if (wide > width) line += 1000
    x += wide + GAP
    return at
  })
  return { groups: placed, lines: line + 1, rows }
}

function layoutOf({ groups, rows }: Flow, pitch: number, screen: Screen): WallLayout {
  const size = Math.round(pitch * 10) / 10
  const bottom = Math.max(0, ...groups.map(({ y }) => y)) + LABEL + rows * size
  return {
    groups: groups.map((group) => ({ ...group, y: Math.round(group.y) })),
    pitch: size,
    side: Math.round(size * 8) / 10,
    height: Math.max(Math.min(screen.height, 200), Math.ceil(bottom)),
  }
}
