/** The fleet as a map: every node in its group with the state of its latest report, and the counts of the fleet. */

import { sql, type SQL } from 'drizzle-orm'
import { decodeState, type RunState } from '../../schema/states.ts'
import { json, nullable, selectList, typed, type RowOf } from '../../sql/columns.ts'
import { firstKeyOf, keyMilliseconds } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import { answering, batchRead, type BatchRead } from '../../store/batch-read.ts'
import { isSilentSince, type LastHeard } from '../../store/node-life.ts'
import { codeVersionsOf } from '../../outcomes/code-versions.ts'
import {
  ENVIRONMENT_NAMES,
  PRODUCER_NAMES,
  fleetOf,
  type Fleet,
  type FleetGroup,
} from '../fleet.ts'
import { nodeLists, nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import {
  AGENT_VERSIONS,
  comparedLists,
  comparedOf,
  type ComparedLists,
  PENDING_OF_COMPARED,
  type ComparedNode,
} from '../worth/nodes.ts'
import { foundPending, longPendingOf, type FoundPending, type LongPending } from '../worth/runs.ts'
import { fleetSilence, type FleetSilence, type NodeSilence } from './group-silence.ts'
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
  /** Of a node that has not run its environment's newest code yet: its usual ms between two runs; null with too few. */
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
  /** Whether the nodes are compared with one another, too: then each is still read once. */
  readonly compared?: boolean
}

/** Values of nodes, in one order: they take a third of the memory of a list for each node. */
type Lists = readonly [
  certnames: readonly string[],
  /** Null of nodes that never reported. */
  states: readonly (number | null)[],
  /** Ids of strings. */
  environments: readonly (number | null)[],
  latest: readonly (number | null)[],
  intervals: readonly (number | null)[],
  /** Each the text of a `LastHeard`; null of nodes that are not silent. */
  heard: readonly (string | null)[],
  /** When the newest of all runs was, in ms. */
  newest: number | null,
  compared: ComparedLists | null,
  /** Ids of strings: who sent the latest reports of nodes that are surely not silent. */
  producers: readonly (number | null)[],
]

const columns = (compared: boolean) => ({
  lists: nullable(json<Lists, SQL>(sql`g.lists`)),
  found: nullable(json<FoundPending, SQL>(sql`g.found`)),
  environments: ENVIRONMENT_NAMES,
  producers: PRODUCER_NAMES,
  versions: json<Readonly<Record<number, string>>, SQL>(compared ? AGENT_VERSIONS : sql`'{}'`),
})
type Rows = RowOf<ReturnType<typeof columns>>
type Cells = Rows & { readonly lists: Lists }

const isList = (row: Rows): row is Cells => row.lists !== null

/** The least key of the reports since its environment got its newest code: read once, as an object by environment. */
const newestCode = (view: View): SQL =>
  sql`(select json_group_object(v.environment, v.key) from (select environment, ${firstKeyOf(sql`max(first)`)} as key
    from ${codeVersionsOf(view)} group by environment) v) ->> ('$."' || p.environment || '"')`

/** The usual interval of nodes that have not run their environment's newest code. */
const intervalOfWaiting = (view: View): SQL =>
  sql`iif(p.latest < ${newestCode(view)}, p.interval, null)`

/** The nodes that may have a change pending. */
const OF_LISTED = sql.raw(
  `from listed cross join json_each(listed.lists, '$[7]${PENDING_OF_COMPARED}') n`,
)

/** What one look at the nodes tells. */
export interface FoundNodes {
  readonly map: FleetMap
  readonly fleet: Fleet
  /** The nodes that reported; none where they were not to be compared. */
  readonly compared: readonly ComparedNode[]
  /** What is pending on them for long; null for nothing, or where they were not to be compared. */
  readonly pending: LongPending | null
}

/** Reads only the rows of nodes if the view's conditions allow it. The counts are those of the same rows. */
export const nodeMapRead = (
  view: View,
  { by, drawn = true, compared = false }: MapOptions,
): BatchRead<FoundNodes> =>
  batchRead(
    [
      typed(
        columns(compared),
        render(sql`with recursive ${nodeLists(
          (isInList) =>
            sql`select json_array(json_group_array(p.certname), json_group_array(p.state), json_group_array(p.environment),
              json_group_array(p.latest), json_group_array(${intervalOfWaiting(view)}), json_group_array(p.heard), max(p.newest_run), ${compared ? comparedLists(view) : sql`null`},
              json_group_array(distinct iif(p.heard is null, p.producer, null)))
            from (select reports.* from ${nodesOf(view)} where ${view.where} and ${isInList(sql`reports.row`)}) p`,
        )}${compared ? sql`, ${foundPending(view, OF_LISTED)}` : sql``}
        select ${selectList(columns(compared))} from (select lists, null as found from listed
          ${compared ? sql`union all select null, found from pending_found` : sql``}) g`),
      ),
    ],
    ([rows]) => {
      const listed = rows.filter(isList)
      const cells = listed.flatMap((row) => cellsOf(view, row))
      const times = listed.flatMap(({ lists }) => lists[6] ?? [])
      const newest = times.length === 0 ? null : Math.max(...times)
      return {
        map: mapOf(view, { by, drawn }, cells),
        fleet: {
          ...fleetOf(groupsOf(cells), newest, view.now),
          ...silenceOf(view, cells, { newest, producers: listed.flatMap(producersIn) }),
        },
        compared: listed.flatMap(comparedIn),
        pending:
          rows.flatMap(({ found }) => (found === null ? [] : [longPendingOf(view, found)]))[0] ??
          null,
      }
    },
  )

function cellsOf(
  view: Pick<View, 'now' | 'silentAfter'>,
  { lists, environments: names, producers }: Cells,
): readonly FleetCell[] {
  const [certnames, states, environments, latest, intervals, heard] = lists
  return certnames.map((certname, index) => {
    const [last, state] = [latest[index]!, states[index]!]
    const silence = silenceIn(view, heard[index]!, producers)
    return {
      certname,
      run: state === null ? null : decodeState(state),
      silent: silence !== null,
      silence,
      environment: names[environments[index] ?? 0] ?? null,
      latest: last === null ? null : keyMilliseconds(last),
      interval: intervals[index]!,
    }
  })
}

/** The silence of a node; null of one that is not silent. */
function silenceIn(
  view: Pick<View, 'now' | 'silentAfter'>,
  heard: string | null,
  producers: Cells['producers'],
): NodeSilence | null {
  if (heard === null) return null
  const life = JSON.parse(heard) as LastHeard
  const [time, usual, producer] = life
  return isSilentSince(view, life) ? [time, usual, producers[producer ?? 0] ?? null] : null
}

const comparedIn = ({ lists, versions }: Cells): readonly ComparedNode[] => {
  const [certnames, , , latest, , , , compared] = lists
  return certnames.flatMap((certname, index) =>
    compared === null || latest[index] === null
      ? []
      : [comparedOf(certname, compared, { index, versions })],
  )
}

const producersIn = ({ lists, producers }: Cells): readonly string[] =>
  lists[8].flatMap((id) => producers[id ?? 0] ?? [])

function silenceOf(
  view: View,
  cells: readonly FleetCell[],
  found: { readonly newest: number | null; readonly producers: readonly string[] },
): FleetSilence {
  const reported = cells.filter(({ run }) => run !== null)
  const failed = reported.filter(({ run }) => run?.state === 'failed').length
  return fleetSilence(view, reported, { failed, ...found })
}

const groupsOf = (cells: readonly FleetCell[]): FleetGroup[] =>
  [...Map.groupBy(cells, ({ environment }) => environment)].flatMap(([environment, those]) =>
    // Equal states are one object.
    [...Map.groupBy(those, ({ run }) => run)].map(([run, nodes]) => ({
      run,
      environment,
      nodes: nodes.length,
      silent: nodes.filter(({ silent }) => silent).length,
    })),
  )

/** The fleet, with the silence of its groups. */
export const fleetRead = (view: View): BatchRead<Fleet> =>
  answering(nodeMapRead(view, { by: 'group', drawn: false }), ({ fleet }) => fleet)

/** The map alone. */
export const mapRead = (view: View, options: MapOptions): BatchRead<FleetMap> =>
  answering(nodeMapRead(view, options), ({ map }) => map)

function mapOf(
  view: View,
  { by, drawn }: Required<Pick<MapOptions, 'by' | 'drawn'>>,
  cells: readonly FleetCell[],
): FleetMap {
  const groups = Map.groupBy(cells, ({ certname, environment }) =>
    by === 'group' ? nodeGroupOf(view, certname) : (environment ?? 'never reported'),
  )
  return {
    by,
    nodes: cells.length,
    groups: largest(groups).map((group) => groupOf(group, drawn)),
  }
}

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

/** When a node runs next, in ms: its usual interval after its latest run; null where that can't be told. */
export const dueOf = ({
  latest,
  interval,
}: Pick<FleetCell, 'latest' | 'interval'>): number | null =>
  latest === null || interval === null ? null : latest + interval

export const FLEET_PANEL = definePanel({
  path: '/fleet',
  summary:
    'Nodes by the state of their latest run, in all and by environment; who is silent, and whether "nothing fails" may be said.',
  takes: {},
  read: fleetRead,
})
