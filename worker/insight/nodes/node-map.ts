/** The fleet as a map: every node in its group with the state of its latest report, and the counts of the fleet. */

import { sql, type SQL } from 'drizzle-orm'
import { decodeState, isFailed, type RunState } from '../../schema/states.ts'
import { flag, integer, json, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { firstKeyOf, keyMilliseconds, literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { NodeSilence } from '../../store/node-life.ts'
import { codeVersionsOf } from '../deploys/code-versions.ts'
import { fleetOf, type Fleet, type FleetGroup } from '../fleet.ts'
import { isSilentNode, nodesOf, stringOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { fleetSilence, type FleetSilence } from './group-silence.ts'
import { nodeGroupOf, OTHER_NODES } from './node-group.ts'
import { definePanel } from '../panel.ts'

export const MAP_GROUPINGS = ['group', 'environment'] as const
export type MapGrouping = (typeof MAP_GROUPINGS)[number]

/** Most groups of a map; the nodes of smaller ones are in the group `other`. */
const MOST_GROUPS = 40

/** A node on the map. */
export interface FleetCell {
  readonly certname: string
  /** State of the latest report; null without one. */
  readonly run: RunState | null
  readonly silent: boolean
  /** Of a silent node. */
  readonly silence: NodeSilence | null
  readonly environment: string | null
  /** Producer timestamp of the latest report, in ms; null without one. */
  readonly latest: number | null
  /** Of a node that has not run its environment's newest code yet: ms between its last two runs; null without two. */
  readonly interval: number | null
}

export interface FleetMapGroup {
  readonly name: string
  readonly nodes: number
  readonly failing: number
  /** By certname, so that a cell moves only when nodes come or go. */
  readonly cells: readonly FleetCell[]
}

export interface FleetMap {
  readonly by: MapGrouping
  readonly nodes: number
  /** The largest first. */
  readonly groups: readonly FleetMapGroup[]
}

export interface MapOptions {
  readonly by: MapGrouping
  /** Without it cells are in no order: sorting them takes a third of the time where nothing is drawn. */
  readonly drawn?: boolean
}

/** Nodes that share state, environment and silence. A row has at most so many nodes, as a row's length is limited. */
const NODES_PER_ROW = 2000

const CELLS = {
  /** Null where the nodes never reported. */
  state: nullable(integer(sql`g.state`)),
  environment: nullable(text(stringOf(sql`g.environment`))),
  silent: nullable(flag(sql`g.silent`)),
  // Lists of the nodes' values, in one order: they take a third of the memory of a list for each node.
  certnames: json<string[], SQL>(sql`g.certnames`),
  latest: json<(number | null)[], SQL>(sql`g.latest`),
  before: json<(number | null)[], SQL>(sql`g.before`),
  /** Each the text of a `NodeSilence`; null of nodes that are not silent. */
  silences: json<(string | null)[], SQL>(sql`g.silences`),
  newest: nullable(integer(sql`g.newest`)),
}
type Cells = RowOf<typeof CELLS>

/** The least key of the reports since its environment got its newest code: read once, as an object by environment. */
const newestCode = (view: View): SQL =>
  sql`(select json_group_object(v.environment, v.key) from (select environment, ${firstKeyOf(sql`max(first)`)} as key
    from ${codeVersionsOf(view)} group by environment) v) ->> ('$."' || reports.environment || '"')`

/** The key of the run before the latest one, of nodes that have not run their environment's newest code. Reads nothing of others. */
const runBefore = (view: View): SQL =>
  sql`iif(reports.latest < ${newestCode(view)},
    (select max(b.id) from reports b indexed by reports_node where b.node = reports.node and b.id < reports.latest), null)`

/** Reads only the rows of nodes if the view's conditions allow it. The counts are those of the same rows. */
export const nodeMapRead = (
  view: View,
  { by, drawn = true }: MapOptions,
): BatchRead<{ readonly map: FleetMap; readonly fleet: Fleet }> =>
  batchRead(
    [
      select(
        CELLS,
        sql`from (select reports.state as state, reports.environment as environment, ${isSilentNode(sql`reports`)} as silent, max(reports.newest_run) as newest,
            json_group_array(reports.silence) as silences,
            json_group_array(reports.certname) as certnames, json_group_array(reports.latest) as latest, json_group_array(${runBefore(view)}) as before
          from ${nodesOf(view)} where ${view.where} group by 1, 2, 3, reports.node / ${literal(NODES_PER_ROW)}) g`,
      ),
    ],
    ([rows]) => {
      const map = mapOf(view, { by, drawn }, rows)
      const groups = rows.map((row) => ({ ...row, nodes: row.certnames.length }))
      return { map, fleet: { ...fleetOf(groups, view.now), ...silenceOf(view, map, groups) } }
    },
  )

function silenceOf(view: View, { groups }: FleetMap, rows: readonly FleetGroup[]): FleetSilence {
  const failing = rows.filter(({ state }) => state !== null && isFailed(state))
  return fleetSilence(
    view,
    groups.flatMap(({ cells }) => cells).filter(({ run }) => run !== null),
    {
      failed: failing.reduce((sum, { nodes }) => sum + nodes, 0),
      newest: rows.reduce<number | null>(
        (newest, row) => (row.newest === null ? newest : Math.max(newest ?? -Infinity, row.newest)),
        null,
      ),
    },
  )
}

/** The fleet, with the silence of its groups. */
export function fleetRead(view: View): BatchRead<Fleet> {
  const { statements, read } = nodeMapRead(view, { by: 'group', drawn: false })
  return { statements, read: (results) => read(results).fleet }
}

/** The map alone. */
export function mapRead(view: View, options: MapOptions): BatchRead<FleetMap> {
  const { statements, read } = nodeMapRead(view, options)
  return { statements, read: (results) => read(results).map }
}

function mapOf(view: View, { by, drawn }: Required<MapOptions>, rows: readonly Cells[]): FleetMap {
  const groups = new Map<string, FleetCell[]>()
  for (const row of rows) {
    const run = row.state === null ? null : decodeState(row.state)
    const silent = row.silent === true
    for (let index = 0; index < row.certnames.length; index++) {
      const certname = row.certnames[index]!
      const name =
        by === 'group' ? nodeGroupOf(view, certname) : (row.environment ?? 'never reported')
      const latest = millisecondsOf(row.latest[index]!)
      const before = millisecondsOf(row.before[index]!)
      const interval = latest === null || before === null ? null : latest - before
      const text = row.silences[index]!
      const silence = text === null ? null : (JSON.parse(text) as NodeSilence)
      const cell = {
        certname,
        run,
        silent,
        silence,
        environment: row.environment,
        latest,
        interval,
      }
      const cells = groups.get(name)
      if (cells) cells.push(cell)
      else groups.set(name, [cell])
    }
  }
  return {
    by,
    nodes: [...groups.values()].reduce((sum, { length }) => sum + length, 0),
    groups: largest(groups).map((group) => groupOf(group, drawn)),
  }
}

const millisecondsOf = (key: number | null): number | null =>
  key === null ? null : keyMilliseconds(key)

type NamedCells = readonly [name: string, cells: readonly FleetCell[]]

/** The largest groups by their nodes, then by their names; the group of all other nodes comes last. */
function largest(groups: ReadonlyMap<string, readonly FleetCell[]>): NamedCells[] {
  const sorted = [...groups].sort(
    ([one, cells], [other, others]) => others.length - cells.length || (one < other ? -1 : 1),
  )
  const named = sorted.filter(([name]) => name !== OTHER_NODES)
  const shown = named.slice(0, MOST_GROUPS)
  const rest = [...named.slice(MOST_GROUPS), ...sorted.filter(([name]) => name === OTHER_NODES)]
  return rest.length === 0 ? shown : [...shown, [OTHER_NODES, rest.flatMap(([, cells]) => cells)]]
}

const groupOf = ([name, cells]: NamedCells, drawn: boolean): FleetMapGroup => ({
  name,
  nodes: cells.length,
  failing: cells.filter(({ run }) => run?.state === 'failed').length,
  cells: drawn ? cells.toSorted((one, other) => (one.certname < other.certname ? -1 : 1)) : cells,
})

/** The cells of the nodes of one group, however the map groups them. */
export function cellsOfGroup(
  view: Pick<View, 'nodeGroup'>,
  { by, groups }: FleetMap,
  name: string,
): readonly FleetCell[] {
  const group = by === 'group' ? groups.find((one) => one.name === name) : undefined
  // Where a map has too many groups, the nodes of the small ones are among the others.
  return group !== undefined && name !== OTHER_NODES
    ? group.cells
    : groups
        .flatMap(({ cells }) => cells)
        .filter(({ certname }) => nodeGroupOf(view, certname) === name)
}

/** What the nodes of a group run next: code that fails on others of the group. */
export interface FailingCode {
  readonly group: string
  readonly environment: string
  readonly code_version: string
  /** When the environment got it, in ms. */
  readonly since: number
}

/**
 * The nodes that run the failing code next: they are of the same group and environment, report, and have not run since
 * the environment got that code.
 */
export const nextNodes = (
  view: Pick<View, 'nodeGroup'>,
  map: FleetMap,
  code: FailingCode,
): readonly FleetCell[] => cellsOfGroup(view, map, code.group).filter(runsNext(view, code))

/** Whether a node runs the failing code next. Most nodes are told by a number, and their names need no look. */
export const runsNext =
  (view: Pick<View, 'nodeGroup'>, { group, environment, since }: FailingCode) =>
  (cell: FleetCell): boolean =>
    cell.latest !== null &&
    cell.latest < since &&
    !cell.silent &&
    cell.run?.state !== 'failed' &&
    cell.environment === environment &&
    nodeGroupOf(view, cell.certname) === group

export const FLEET_PANEL = definePanel({
  path: '/fleet',
  summary:
    'Nodes by the state of their latest run, in all and by environment; who is silent, and whether "nothing fails" may be said.',
  takes: {},
  read: fleetRead,
})
