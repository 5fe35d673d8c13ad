/** Every node with its group, in the order of the map: script names the cells by it. */

import { mapAnswerRead } from '../insight/nodes/map-answer.ts'
import { MAP_GROUPINGS } from '../insight/nodes/node-map.ts'
import { readOne } from '../store/batch-read.ts'
import { chosen } from './states.ts'
import { resolveView, type Visit } from './visit.ts'

export async function mapRows(visit: Visit): Promise<readonly object[]> {
  const { view } = await resolveView(visit)
  const by = chosen(visit.url.searchParams, 'map', MAP_GROUPINGS, 'group')
  const { groups } = await readOne(visit.database, mapAnswerRead(view, { by }))
  return groups.flatMap(({ name, cells }) =>
    cells.map(({ certname }) => ({ group: name, certname })),
  )
}
