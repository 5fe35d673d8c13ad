/** Reads the numbers of the store and its fleet for metrics, in one batch. */

import { sql } from 'drizzle-orm'
import type { Timestamp } from '../lib/time.ts'
import { isFailedCode, isGroup, STATES, type StateName } from '../schema/states.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import {
  integer,
  json,
  keyTime,
  keyTimestamp,
  nullable,
  real,
  selectText,
  text,
  typed,
  type Column,
  type RowOf,
} from '../sql/columns.ts'
import { REPORTS_OF_COUNTED_HOURS } from '../sql/closed-hours.ts'
import { dayStart, integerOf, lastKeyOf, timeOfRun } from '../sql/encoding.ts'
import { UNCOUNTED_REPORTS } from '../sql/open-hours.ts'
import { render } from '../sql/render.ts'
import { quietCauses } from './acknowledgements.ts'
import type { Database } from './database.ts'
import { isSilent, SILENT_AFTER_MS } from './node-life.ts'
import type { LossKind } from './refusals.ts'
import { FIRST_DAY } from './history.ts'

/** Ages in seconds; metrics count the nodes whose last run is at most this old. */
export const LAST_RUN_AGES = [1800, 3600, 7200, 21_600, 86_400, 604_800] as const

export interface EnvironmentNodes {
  /** Null: never reported. */
  readonly environment: string | null
  readonly nodes: number
  /** Those whose last run failed. */
  readonly failed: number
}

export interface Figures {
  readonly activeNodes: number
  readonly deactivatedNodes: number
  readonly expiredNodes: number
  /** Active nodes by the state of their last run (states.ts), and whether that run was noop. */
  readonly runs: readonly (readonly [state: StateName, noop: boolean, nodes: number])[]
  /** Active nodes by the environment of their last run, those with the most nodes first. */
  readonly environments: readonly EnvironmentNodes[]
  /** Number of active nodes whose last run ended within each of LAST_RUN_AGES. */
  readonly within: readonly number[]
  /** Seconds since the end of the last run of the active node that was silent longest; null without nodes. */
  readonly oldestRunSeconds: number | null
  /** Active nodes that are silent (node-life.ts). */
  readonly silentNodes: number
  /** Causes by which active nodes fail now: all, and the quiet ones. */
  readonly failingCauses: { readonly all: number; readonly quiet: number }
  /** Active nodes whose last run failed by a cause; the quiet ones fail by no other cause. */
  readonly failingNodes: { readonly all: number; readonly quiet: number }
  readonly meanDurationSeconds: number | null
  readonly longestDurationSeconds: number | null
  readonly reports: number
  /** In ms. */
  readonly oldestReport: number | null
  readonly newestReport: number | null
  readonly openHours: number
  /** The first day, in days since 1970, that the history lacks; null for none. */
  readonly unarchivedDay: number | null
  readonly unarchivedDays: number
  /** Bytes of the files that the history has, and when its first day began, in ms; null for none. */
  readonly historyBytes: number
  readonly historyFirstDay: number | null
  readonly ignoredCommands: readonly (readonly [command: string, count: number])[]
  /** Commands refused and events left out (refusals.ts). */
  readonly losses: readonly (readonly [kind: LossKind, count: number])[]
  /** The time, in ms, up to which each retention rule has been applied. */
  readonly retentionProgress: readonly (readonly [rule: string, until: number])[]
  readonly databaseBytes: number
}

/** When a day began, in ms. */
const dayTime = (expression: string): Column<number, string> => ({ expression, convert: dayStart })

const ACTIVE = 'n.deactivated is null and n.expired is null'

/** The groups that runs are counted by. */
const GROUPS = STATES.flatMap(({ name }) => [false, true].map((noop) => ({ name, noop })))
const FAILED = [false, true].map((noop) => isGroup('n.state', 'failed', noop)).join(' or ')
const numbers = (conditions: readonly string[]) =>
  json<number[], string>(
    `json_array(${conditions.map((condition) => `coalesce(sum(${condition}), 0)`).join(', ')})`,
  )

/** When a run ended, by a clock that may be ahead: never after it was received. */
const ENDED = 'min(r.end_time, r.receive_time)'

/** ?1 now, in ms. Of the latest reports of active nodes only; one pass over the nodes reads a row or two of each. */
const NODES = {
  activeNodes: integer(`coalesce(sum(${ACTIVE}), 0)`),
  deactivatedNodes: integer('coalesce(sum(n.deactivated is not null), 0)'),
  expiredNodes: integer('coalesce(sum(n.deactivated is null and n.expired is not null), 0)'),
  runs: numbers(GROUPS.map(({ name, noop }) => `${ACTIVE} and ${isGroup('n.state', name, noop)}`)),
  // A number a node: id of the environment, twice, and 1 where the run failed. Grouping would read each node once more.
  environments: json<number[], string>(
    `json_group_array(coalesce(n.environment, 0) * 2 + coalesce(${FAILED}, 0)) filter (where ${ACTIVE})`,
  ),
  // Of each node that fails, the ids of the causes.
  causes: json<number[][], string>(
    `json_group_array(json((select json_group_array(rc.cause) from report_causes rc indexed by report_causes_report where rc.report = n.latest)))
      filter (where ${ACTIVE} and ${isFailedCode('n.state')})`,
  ),
  within: numbers(LAST_RUN_AGES.map((age) => `?1 - ${ENDED} <= ${age * 1000}`)),
  oldestRunSeconds: nullable(real(`max(?1 - ${ENDED}) / 1000.0`)),
  meanDurationSeconds: nullable(real('avg(r.end_time - r.start_time) / 1000.0')),
  longestDurationSeconds: nullable(real('max(r.end_time - r.start_time) / 1000.0')),
}
const FROM_NODES = `from nodes n left join reports r on r.id = iif(${ACTIVE}, n.latest, null)`

/** Reports among which the newest is looked for. */
const NEWEST_REPORTS = 100

/** ?1 now, in ms. */
const REPORTS = {
  reports: integer(`${REPORTS_OF_COUNTED_HOURS}
    + (select count(*) from ${UNCOUNTED_REPORTS})`),
  oldestReport: nullable(keyTime('(select min(id) from reports)')),
  // Clocks that are ahead are not believed. Reports that came late are in an index.
  newestReport: nullable(
    integer(`(select max(${timeOfRun('r')}) from (
      select * from (select * from reports where id <= ${lastKeyOf(integerOf('?1'))} order by id desc limit ${NEWEST_REPORTS})
      union all select * from (select * from reports indexed by reports_late where clock_flags & 2 order by receive_time desc limit ${NEWEST_REPORTS})) r)`),
  ),
  openHours: integer('(select count(*) from open_hours)'),
  unarchivedDay: nullable(integer('(select min(day) from unarchived_days)')),
  unarchivedDays: integer('(select count(*) from unarchived_days)'),
  historyBytes: integer(
    '(select coalesce(sum(bytes), 0) from history_parts) + (select coalesce(sum(bytes), 0) from history_months)',
  ),
  historyFirstDay: nullable(dayTime(FIRST_DAY)),
}
/** ?1 now, in ms. Reads the nodes again only where a cause is acknowledged. */
const QUIET = { cause: integer('id') }
const ENVIRONMENTS = { id: integer('id'), name: text('value') }
const LOSSES = { kind: text<LossKind, string>('kind'), count: integer('count') }
const IGNORED = { command: text('command'), count: integer('count') }
const PROGRESS = { rule: text('rule'), until: keyTime('cursor') }

const OLDEST = { time: nullable(keyTimestamp('min(id)')) }

/** Producer timestamp of the oldest report still stored; null without reports. Deleted reports leave no other trace. Reads one row. For unrestricted readers only. */
export async function readOldestReport(database: Database): Promise<Timestamp | null> {
  const [[oldest]] = await database.batch([
    typed(OLDEST, { sql: `select ${selectText(OLDEST)} from reports`, params: [] }),
  ])
  return oldest!.time
}

/** What `NODES` has, and how many nodes are silent. @param now in ms */
function nodesAt(now: number) {
  const silent = isSilent({
    now,
    silentAfter: SILENT_AFTER_MS,
    hidesRuns: false,
    rowPolicy: sql`reports.type = 0`,
  })
  const columns = {
    ...NODES,
    silentNodes: integer(`count(*) filter (where ${ACTIVE} and ${render(silent).sql})`),
  }
  return typed(columns, { sql: `select ${selectText(columns)} ${FROM_NODES}`, params: [now] })
}

/** @param now in ms */
export async function readFigures(database: Database, now: number): Promise<Figures> {
  const [[nodes], names, [reports], ignored, progress, losses, quiet] = await database.batch([
    nodesAt(now),
    typed(ENVIRONMENTS, {
      sql: `select ${selectText(ENVIRONMENTS)} from strings where kind = ${STRING_KINDS.environment}`,
      params: [],
    }),
    typed(REPORTS, { sql: `select ${selectText(REPORTS)}`, params: [now] }),
    typed(IGNORED, {
      sql: `select ${selectText(IGNORED)} from ignored_commands order by command`,
      params: [],
    }),
    typed(PROGRESS, {
      sql: `select ${selectText(PROGRESS)} from retention_progress order by rule`,
      params: [],
    }),
    typed(LOSSES, { sql: `select ${selectText(LOSSES)} from losses order by kind`, params: [] }),
    typed(QUIET, {
      sql: `select ${selectText(QUIET)} from ${quietCauses('?1')}`,
      params: [now],
    }),
  ])
  return {
    ...nodes!,
    ...reports!,
    environments: nodesByEnvironment(nodes!.environments, names),
    runs: GROUPS.map(({ name, noop }, index) => [name, noop, nodes!.runs[index]!] as const),
    ignoredCommands: ignored.map(({ command, count }) => [command, count] as const),
    retentionProgress: progress.map(({ rule, until }) => [rule, until] as const),
    losses: losses.map(({ kind, count }) => [kind, count] as const),
    ...failing(nodes!.causes, new Set(quiet.map(({ cause }) => cause))),
    databaseBytes: database.usage.databaseBytes,
  }
}

/** @param nodes as `NODES.causes` has them; a node whose report lost its causes is none */
function failing(
  nodes: readonly (readonly number[])[],
  quiet: ReadonlySet<number>,
): Pick<Figures, 'failingCauses' | 'failingNodes'> {
  const causes = [...new Set(nodes.flat())]
  const isQuiet = (cause: number): boolean => quiet.has(cause)
  const known = nodes.filter(({ length }) => length > 0)
  return {
    failingCauses: { all: causes.length, quiet: causes.filter(isQuiet).length },
    failingNodes: { all: known.length, quiet: known.filter((own) => own.every(isQuiet)).length },
  }
}

/** @param nodes as `NODES.environments` has them */
function nodesByEnvironment(
  nodes: readonly number[],
  names: readonly RowOf<typeof ENVIRONMENTS>[],
): EnvironmentNodes[] {
  const counts = new Map<number, { nodes: number; failed: number }>()
  for (const node of nodes) {
    const id = node >> 1
    const count = counts.get(id) ?? { nodes: 0, failed: 0 }
    counts.set(id, { nodes: count.nodes + 1, failed: count.failed + (node & 1) })
  }
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  return [...counts]
    .map(([id, count]) => ({ environment: nameOf.get(id) ?? null, ...count }))
    .sort((one, other) => other.nodes - one.nodes)
}
