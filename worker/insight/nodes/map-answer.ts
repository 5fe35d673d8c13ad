/** The map of the fleet as clients get it. */

import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import type { RunState } from '../../schema/states.ts'
import { answering, type BatchRead } from '../../store/batch-read.ts'
import type { View } from '../view.ts'
import {
  MAP_GROUPINGS,
  mapRead,
  type FleetCell,
  type MapGrouping,
  type MapOptions,
} from './node-map.ts'
import { asChoice } from '../../schema/readers.ts'
import { definePanel } from '../panel.ts'

/** A node on the map. */
export interface MapCell {
  readonly certname: string
  /** State of the latest report; null without one. */
  readonly run: RunState | null
  readonly silent: boolean
  readonly environment: string | null
  /** Producer timestamp of the latest report. */
  readonly time: Timestamp | null
  /** Of a node that has not run its environment's newest code yet: its usual ms between two runs; null with too few. */
  readonly interval: number | null
}

export interface MapGroup {
  readonly name: string
  readonly nodes: number
  readonly failing: number
  /** By certname, so that a cell moves only when nodes come or go. */
  readonly cells: readonly MapCell[]
}

export interface NodeMap {
  readonly by: MapGrouping
  readonly nodes: number
  /** The largest first. */
  readonly groups: readonly MapGroup[]
}

export const mapAnswerRead = (view: View, options: MapOptions): BatchRead<NodeMap> =>
  answering(mapRead(view, options), ({ by, nodes, groups }) => ({
    by,
    nodes,
    groups: groups.map(({ cells, ...group }) => ({ ...group, cells: cells.map(mapCell) })),
  }))

/** Names all columns in their order: clients get them so. */
const mapCell = (cell: FleetCell): MapCell => ({
  certname: cell.certname,
  run: cell.run,
  silent: cell.silent,
  environment: cell.environment,
  time: cell.latest === null ? null : formatTimestamp(cell.latest),
  interval: cell.interval,
})

export const MAP_PANEL = definePanel({
  path: '/map',
  summary: 'Every node in its group, with the state of its latest run.',
  takes: { by: asChoice('What to group by.', 'group', MAP_GROUPINGS) },
  read: mapAnswerRead,
})
