/** What failing nodes have in common by their names. */

import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { traitsRead } from '../../worker/insight/causes/traits.ts'
import type { FleetMap } from '../../worker/insight/nodes/node-map.ts'
import type { View } from '../../worker/insight/view.ts'

const VIEW = { now: 0, nodeGroup: /^[^\d]+/u, where: sql`1`, rowPolicy: sql`1` } as unknown as View
const NO_TRAITS = { environment: null, code: null, agent: null, compiler: null }
const MAP: FleetMap = { by: 'group', nodes: 0, groups: [] }

it.each<[names: readonly string[], traits: readonly string[]]>([
  [['web1', 'web2', 'db1'], ['web']],
  // Nodes without a group are of no kind.
  [['1', '2', '3'], []],
  [['1', '2', 'web1'], []],
])('%j', (names, traits) => {
  const read = traitsRead(VIEW, 'cause').read([
    [{ ...NO_TRAITS, failing: names.length, others: 9, names }],
  ])
  expect(read(MAP).traits.map(({ value }) => value)).toEqual(traits)
})
