/** The wall: where the groups of a fleet stand on the screen. */

import { describe, expect, it } from 'vitest'
import type { ShapedGroup } from '../../worker/console/svg/node-map.ts'
import { wallLayout } from '../../worker/console/svg/wall-layout.ts'

const LABEL = 28

const group = (nodes: number, number: number): ShapedGroup => ({
  name: `group-${number}`,
  nodes,
  failing: 0,
  cells: [],
  shapes: new Map(),
})

const SCREEN = { width: 1600, height: 800 }

const FLEETS: readonly (readonly [name: string, nodes: readonly number[]])[] = [
  ['one node', [1]],
  ['one group', [300]],
  ['twelve equal groups', Array.from({ length: 12 }, () => 40)],
  ['a large group and small ones', [2000, 3, 2, 1, 1]],
  ['a hundred groups of one', Array.from({ length: 100 }, () => 1)],
]

describe.each(FLEETS)('%s', (_, nodes) => {
  const { groups, pitch, height } = wallLayout(nodes.map(group), SCREEN)
  const boxes = groups.map(({ group: { nodes: count }, x, y, rows }) => ({
    left: x,
    right: x + Math.ceil(count / rows) * pitch,
    top: y,
    bottom: y + LABEL + Math.min(rows, count) * pitch,
  }))

  it('is within the screen', () => {
    expect(boxes).toHaveLength(nodes.length)
    for (const { left, right, top } of boxes) {
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(SCREEN.width + 1)
    }
    expect(height).toBeLessThanOrEqual(SCREEN.height)
    expect(Math.max(...boxes.map(({ bottom }) => bottom))).toBeLessThanOrEqual(height + 1)
  })

  it('has no group over another', () => {
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1)) {
        const beside = one.right <= other.left || other.right <= one.left
        expect(beside || one.bottom <= other.top || other.bottom <= one.top).toBe(true)
      }
  })
})

it('has the largest cells that fit: a fleet of a few nodes has large ones', () => {
  expect(wallLayout([group(4, 0)], SCREEN).pitch).toBe(56)
  const pitches = [10, 100, 1000, 10_000].map(
    (nodes) => wallLayout([group(nodes, 0)], SCREEN).pitch,
  )
  expect(pitches).toEqual([...pitches].sort((one, other) => other - one))
})

it('becomes taller than the screen where the smallest cells do not fit', () => {
  const { height, pitch } = wallLayout(
    Array.from({ length: 500 }, (_, number) => group(50, number)),
    { width: 300, height: 300 },
  )
  expect(pitch).toBe(3)
  expect(height).toBeGreaterThan(300)
})
