/** What is worth a look by comparing nodes with their group: slow groups, noisy nodes, clocks that are off, old agents. */

import { sql, type SQL } from 'drizzle-orm'
import { DAY } from '../../lib/time.ts'
import { firstKey, literal } from '../../sql/encoding.ts'
import { STRING_KINDS } from '../../schema/string-kinds.ts'
import { RUN_BYTES } from '../../store/runs.ts'
import { median } from '../quantile.ts'
import { priorRun } from '../../outcomes/fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import { packedRuns } from '../nodes/run-strip.ts'
import type { View } from '../view.ts'
import { WORTH_THRESHOLDS } from './rules.ts'
import { pendingNodes } from './runs.ts'

/** A node, as it is compared. Times in seconds. */
export interface ComparedNode {
  readonly certname: string
  /** Its version; empty where that is not known. */
  readonly agent: string
  /** By which its clock is ahead; null while it is right. */
  readonly clockOff: number | null
  /** Of its latest run, and of its last run before a week ago; null without one, or where that was not read. */
  readonly took: number | null
  readonly tookBefore: number | null
  /** The usual time between two of its last runs; null with too few. */
  readonly interval: number | null
}

const DIGITS = 2 * RUN_BYTES
/** Fewer runs tell no interval. */
const LEAST_RUNS = 8

/** Values of nodes, in one order. */
export type ComparedLists = readonly [
  /** Ids of strings. */
  agents: readonly (number | null)[],
  clocks: readonly (number | null)[],
  before: readonly (number | null)[],
  runs: readonly (string | null)[],
  /** Read by `foundPending`. */
  pending: readonly unknown[],
]

/** Where they have the last, as a path in JSON. */
export const PENDING_OF_COMPARED = '[4]'

/** The versions of agents, as an object by their ids. */
export const AGENT_VERSIONS = sql`(select json_group_object(id, value) from strings where kind = ${literal(STRING_KINDS.agentVersion)})`

/** The last run before a week ago, but of that week: an older one is no comparison. */
const WEEK = 7 * DAY
/** That run is read of at most about so many nodes, evenly chosen. */
const MOST_BEFORE = 1000
/** So many ids, evenly chosen, say how many of all are of a node: ids go on where nodes come and go. */
const PROBES = 100
const NODES_OF_PROBES = sql`(select count(*) from json_each(${sql.raw(`'${JSON.stringify([...Array(PROBES).keys()])}'`)}) probe
  cross join nodes on nodes.id = (select max(id) from nodes) * (2 * probe.value + 1) / ${literal(2 * PROBES)})`
/**
 * One of how many nodes; of all where few ids are of a node. Many fleets name their nodes in rotation, so ids are scattered before
 * one of so many is taken.
 */
const ONE_OF = sql`iif((select max(id) from nodes) < ${literal(2 * MOST_BEFORE)}, 1,
  max(1, (select max(id) from nodes) / ${literal(PROBES)} * ${NODES_OF_PROBES} / ${literal(MOST_BEFORE)}))`
const isChosen = (row: SQL): SQL => sql`${row} * 2654435761 % 4294967296 / 65536 % ${ONE_OF} = 0`

/** `ComparedLists` of the nodes `p`. */
export const comparedLists = (view: View): SQL => {
  const { hidesRuns, now } = view
  const before = priorRun(
    view,
    sql`p.node`,
    literal(firstKey(now - WEEK)),
    sql`iif(reports.id >= ${literal(firstKey(now - 2 * WEEK))}, reports.end_time - reports.start_time, null)`,
  )
  const strip = packedRuns(view)
  // Naming the strip in a subquery costs one more row read.
  const ends = hidesRuns
    ? sql`(select ${endsOf(sql`strip`)} from (select ${strip} as strip))`
    : endsOf(strip)
  return sql`json_array(json_group_array(p.agent_version), json_group_array(p.clock_off),
    json_group_array(iif(${isChosen(sql`p.row`)}, ${before}, null)), json_group_array(${ends}), ${pendingNodes(view)})`
}

const endsOf = (strip: SQL): SQL =>
  sql`substr(${strip}, 1, ${literal(DIGITS)}) || substr(${strip}, -${literal(DIGITS)}, 8) || (length(${strip}) / ${literal(DIGITS)})`

/** The node at a place of the lists. */
export function comparedOf(
  certname: string,
  [agents, clocks, before, runs]: ComparedLists,
  {
    index,
    versions,
  }: { readonly index: number; readonly versions: Readonly<Record<number, string>> },
): ComparedNode {
  const [clock, past] = [clocks[index]!, before[index]!]
  return {
    certname,
    agent: versions[agents[index] ?? 0] ?? '',
    clockOff: clock === null ? null : clock / 1000,
    tookBefore: past === null || past < 0 ? null : past / 1000,
    ...ofStrip(runs[index]!),
  }
}

/** The digits of the newest run, the time of the oldest one, and their number. */
function ofStrip(text: string | null): Pick<ComparedNode, 'took' | 'interval'> {
  if (!text) return { took: null, interval: null }
  const number = (from: number, digits: number): number =>
    parseInt(text.slice(from, from + digits), 16)
  const runs = Number(text.slice(DIGITS + 8))
  return {
    took: number(10, 4),
    interval: runs < LEAST_RUNS ? null : (number(0, 8) - number(DIGITS, 8)) / (runs - 1),
  }
}

const { agentMajors, groupNodes, noisyFactor, slowFactor, slowSeconds } = WORTH_THRESHOLDS

export interface SlowGroup {
  readonly kind: 'slow'
  readonly group: string
  readonly nodes: number
  /** Medians of the nodes' latest runs and of their runs a week before, in seconds. */
  readonly seconds: number
  readonly before: number
}

export interface NoisyNode {
  readonly kind: 'noisy'
  readonly certname: string
  readonly nodes: number
  /** Seconds between its runs, and between those of its group. */
  readonly interval: number
  readonly usual: number
}

export interface ClockOff {
  readonly kind: 'clock'
  readonly certname: string
  readonly nodes: number
  /** Seconds by which the clock of that node is ahead; negative behind. */
  readonly off: number
}

export interface OldAgents {
  readonly kind: 'agents'
  readonly version: string
  readonly nodes: number
  /** The version of most nodes. */
  readonly usual: string
}

/** Whether the runs of a group became slow: of enough nodes to say so, by its medians. */
export const becameSlow = ({
  nodes,
  seconds,
  before,
}: Pick<SlowGroup, 'nodes' | 'seconds' | 'before'>): boolean =>
  nodes >= groupNodes.value &&
  seconds >= slowFactor.value * before &&
  seconds - before >= slowSeconds.value

export function slowGroups(
  view: Pick<View, 'nodeGroup'>,
  all: readonly ComparedNode[],
): SlowGroup[] {
  const timed = all.flatMap(({ certname, took, tookBefore }) =>
    took === null || tookBefore === null ? [] : [{ certname, took, tookBefore }],
  )
  return [...Map.groupBy(timed, ({ certname }) => nodeGroupOf(view, certname))]
    .map(([group, nodes]) => ({
      kind: 'slow' as const,
      group,
      nodes: nodes.length,
      seconds: median(nodes.map(({ took }) => took))!,
      before: median(nodes.map(({ tookBefore }) => tookBefore))!,
    }))
    .filter(becameSlow)
    .toSorted((one, other) => other.seconds / other.before - one.seconds / one.before)
}

export function noisyNodes(
  view: Pick<View, 'nodeGroup'>,
  all: readonly ComparedNode[],
): NoisyNode[] {
  const regular = all.flatMap(({ certname, interval }) =>
    interval === null ? [] : [{ certname, interval }],
  )
  return [...Map.groupBy(regular, ({ certname }) => nodeGroupOf(view, certname)).values()]
    .filter(({ length }) => length >= groupNodes.value)
    .flatMap((nodes) => {
      const usual = median(nodes.map(({ interval }) => interval))!
      return nodes
        .filter(({ interval }) => interval * noisyFactor.value <= usual)
        .map((node) => ({ kind: 'noisy' as const, ...node, nodes: 1, usual }))
    })
    .toSorted((one, other) => one.interval / one.usual - other.interval / other.usual)
}

export const clocksOff = (all: readonly ComparedNode[]): ClockOff[] =>
  all
    .flatMap(({ certname, clockOff }) =>
      clockOff === null ? [] : [{ kind: 'clock' as const, certname, nodes: 1, off: clockOff }],
    )
    .toSorted((one, other) => Math.abs(other.off) - Math.abs(one.off))

/** Versions that are far behind that of most nodes, those of most nodes first. */
export function oldAgents(all: readonly ComparedNode[]): OldAgents[] {
  const versions = [...Map.groupBy(all, ({ agent }) => agent)]
    .map(([version, nodes]) => ({ version, major: majorOf(version), nodes: nodes.length }))
    .toSorted((one, other) => other.nodes - one.nodes || (one.version < other.version ? 1 : -1))
  const usual = versions.find(({ major }) => major !== null)
  return versions
    .filter(({ major }) => major !== null && usual!.major! - major >= agentMajors.value)
    .map(({ version, nodes }) => ({ kind: 'agents', version, nodes, usual: usual!.version }))
}

const majorOf = (version: string): number | null => {
  const found = /^(\d+)\./.exec(version)?.[1]
  return found === undefined ? null : Number(found)
}
