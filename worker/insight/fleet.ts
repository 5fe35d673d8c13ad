/** Counts the fleet: nodes by the state of their latest report and by environment, and silent nodes. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../lib/time.ts'
import { decodeState, STATES, type RunState, type StateCount } from '../schema/states.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { integer, json, nullable, select } from '../sql/columns.ts'
import { literal } from '../sql/encoding.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { isSilentNode, nodesOf } from './fragments.ts'
import type { FleetSilence } from './nodes/group-silence.ts'
import type { View } from './view.ts'

/** Nodes by the state of their latest report. Lists all eight combinations of state and noop, worst first, real before noop. */
export interface NodeCounts {
  readonly nodes: number
  readonly states: readonly (StateCount & { readonly silent: number })[]
  /** Silent nodes in any state; nodes that never reported are not counted. */
  readonly silent: number
  /** Nodes whose latest run applied its catalog after facts or plugins failed; they are in a state too. */
  readonly fact_errors: number
  readonly never_reported: number
}

export interface FleetCounts extends NodeCounts {
  readonly as_of: Timestamp
  /** When the newest run in scope was: never after it was received; null without any. */
  readonly newest: Timestamp | null
  /** By environment of the latest report, those with the most failed nodes first; null: never reported. */
  readonly environments: readonly (NodeCounts & { readonly environment: string | null })[]
}

/** The counts, and what silence does to them. */
export interface Fleet extends FleetCounts, FleetSilence {}

/** Nodes that share state and environment. */
export interface FleetGroup {
  /** Null where the nodes never reported. */
  readonly run: RunState | null
  readonly environment: string | null
  readonly nodes: number
  readonly silent: number
}

const namesOf = (kind: StringKind) =>
  json<Readonly<Record<number, string>>, SQL>(
    sql`(select json_group_object(string.id, string.value) from strings string where string.kind = ${literal(STRING_KINDS[kind])})`,
  )
/** Names by their ids. */
export const ENVIRONMENT_NAMES = namesOf('environment')
export const PRODUCER_NAMES = namesOf('producer')

/** In place of a state, of nodes that never reported: greater than all states. */
const NEVER_REPORTED = 127
/** The number of a node of `nodesOf` without its silence. */
const stateCode = (node: SQL): SQL =>
  sql`coalesce(${node}.environment, 0) * 256 + coalesce(${node}.state, ${literal(NEVER_REPORTED)}) * 2`
/** SQL for a node of `nodesOf` as a number: id of its environment, state and silence. */
export const nodeCode = (node: SQL): SQL =>
  sql`${stateCode(node)} + coalesce(${isSilentNode(node)}, 0)`

const CODED = {
  /** A number a node: grouping would read each node once more. */
  nodes: json<number[], SQL>(sql`json_group_array(${nodeCode(sql`reports`)})`),
  environments: ENVIRONMENT_NAMES,
  newest: nullable(integer(sql`max(reports.newest_run)`)),
}

/** Reads only the rows of nodes if the view's conditions allow it. */
export const fleetCountsRead = (view: View): BatchRead<FleetCounts> =>
  batchRead([select(CODED, sql`from ${nodesOf(view)} where ${view.where}`)], ([[row]]) =>
    fleetOf(groupsOf(row!.nodes, row!.environments), row!.newest, view.now),
  )

/** How many nodes there are, and in which environments they last ran. */
export interface KnownEnvironments {
  readonly nodes: number
  readonly environments: readonly {
    readonly environment: string | null
    readonly nodes: number
  }[]
}

const IN_ENVIRONMENTS = {
  nodes: json<number[], SQL>(sql`json_group_array(${stateCode(sql`reports`)})`),
  environments: ENVIRONMENT_NAMES,
}

/** Reads each node once: who is silent, which takes its runs, is not asked. */
export const environmentsRead = (view: View): BatchRead<KnownEnvironments> =>
  batchRead([select(IN_ENVIRONMENTS, sql`from ${nodesOf(view)} where ${view.where}`)], ([[row]]) =>
    nodesByEnvironment(groupsOf(row!.nodes, row!.environments)),
  )

/** A node from its number; `environment` is an id, 0 where it never reported. */
export function decodeNode(code: number): {
  readonly environment: number
  readonly run: RunState | null
  readonly silent: boolean
} {
  const state = Math.floor(code / 2) % 128
  return {
    environment: Math.floor(code / 256),
    run: state === NEVER_REPORTED ? null : decodeState(state),
    silent: code % 2 === 1,
  }
}

/** @param environments their names by ids */
export function groupsOf(
  codes: readonly number[],
  environments: Readonly<Record<number, string>>,
): readonly FleetGroup[] {
  const counts = new Map<number, number>()
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts].map(([code, nodes]) => {
    const { environment, run, silent } = decodeNode(code)
    return {
      run,
      environment: environments[environment] ?? null,
      nodes,
      silent: silent ? nodes : 0,
    }
  })
}

/**
 * The counts of the fleet.
 *
 * @param newest when the newest run was, in ms; null without any
 */
export const fleetOf = (
  groups: readonly FleetGroup[],
  newest: number | null,
  now: number,
): FleetCounts => ({
  as_of: formatTimestamp(now),
  newest: newest === null ? null : formatTimestamp(newest),
  ...nodesByEnvironment(groups),
})

/** The counts of all nodes, and of the nodes of each environment. */
export function nodesByEnvironment(
  groups: readonly FleetGroup[],
): Omit<FleetCounts, 'as_of' | 'newest'> {
  const names = new Set(groups.map(({ environment }) => environment))
  const environments = [...names].map((environment) => ({
    environment,
    ...countsOf(groups.filter((group) => group.environment === environment)),
  }))
  return {
    ...countsOf(groups),
    environments: environments.sort(
      (one, other) =>
        other.states[0]!.count - one.states[0]!.count ||
        other.nodes - one.nodes ||
        ((one.environment ?? '') < (other.environment ?? '') ? -1 : 1),
    ),
  }
}

const sumOf = (groups: readonly Pick<FleetGroup, 'nodes'>[]): number =>
  groups.reduce((sum, { nodes }) => sum + nodes, 0)

function countsOf(groups: readonly FleetGroup[]): NodeCounts {
  const reported = groups.flatMap(({ run, ...group }) => (run === null ? [] : [{ run, ...group }]))
  const states = STATES.flatMap(({ name }) =>
    [false, true].map((noop) => {
      const those = reported.filter(({ run }) => run.state === name && run.noop === noop)
      const silent = those.reduce((sum, group) => sum + group.silent, 0)
      return { state: name, noop, count: sumOf(those), silent }
    }),
  )
  return {
    nodes: sumOf(groups),
    states,
    silent: states.reduce((sum, { silent }) => sum + silent, 0),
    fact_errors: sumOf(reported.filter(({ run }) => run.fact_errors)),
    never_reported: sumOf(groups) - sumOf(reported),
  }
}
