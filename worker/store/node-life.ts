/**
 * When nodes were heard of last, how far their clocks are off, and which of them are silent: SQL on rows `n` of nodes. A time
 * in the future is never believed: a run was no later than it was received.
 */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR, MINUTE } from '../lib/time.ts'
import { CLOCKS } from '../schema/clocks.ts'
import {
  firstKey,
  lastKey,
  lastKeyOf,
  literal,
  millisecondOfKey,
  producerTimestampOf,
  timeOfRun,
} from '../sql/encoding.ts'
import { MOST_RUNS, RUN_BYTES, runOf, usualIntervalOf } from './runs.ts'

/** Which reports tell of nodes, and when a node may be silent at the earliest. Times in ms. */
export interface LifeScope {
  readonly now: number
  /** A node is not silent sooner than after this. */
  readonly silentAfter: number
  /** Whether the reader may see some runs of a node and not others. */
  readonly hidesRuns: boolean
  /** The condition of visible agent `reports`. */
  readonly rowPolicy: SQL
}

/** Two hours, because agents run every half hour by default. */
export const SILENT_AFTER_MS = 2 * HOUR

export const LIFE_THRESHOLDS = {
  clockTolerance: {
    value: 10,
    about: 'minutes between the time of a run and its receipt, beyond which a clock is off',
  },
  silentIntervals: {
    value: 2,
    about: "times a node's usual interval without a run, after which it is silent",
  },
  silentShare: {
    value: 0.05,
    about: 'share of the nodes that are silent, from which "nothing fails" is not said',
  },
  silentGroupNodes: { value: 5, about: 'nodes of a group, to say that it fell silent' },
  silentGroupShare: {
    value: 0.8,
    about: "share of a group's nodes that fell silent within one interval, to say so",
  },
} as const

const TOLERANCE = literal(LIFE_THRESHOLDS.clockTolerance.value * MINUTE)

/** The greatest key of a run that was punctual. */
const lastPunctual = ({ now }: LifeScope): SQL => literal(lastKey(now + CLOCKS.receive_time.before))

/** The report of the node that was received last, of those whose times differ by more than seconds; null without. */
const lastStraying = ({ rowPolicy }: LifeScope): SQL =>
  sql`(select reports.id from reports indexed by reports_late_node
    where reports.node = n.id and reports.clock_flags & ${literal(CLOCKS.receive_time.bit)} and ${rowPolicy}
    order by reports.receive_time desc limit 1)`

/** The producer timestamp of the row of that name. */
const producedAt = (alias: string): SQL => sql.raw(producerTimestampOf(alias))

/**
 * How far the node's clock is ahead of ours, in ms; null while it is right. A clock that is slow shows in two runs that were
 * made and received at equal intervals; the reports of an import or of a backlog were received together.
 */
export const clockOff = (view: LifeScope): SQL =>
  sql`(select case
      when exists (select 1 from reports where reports.node = n.id and reports.id > ${lastKeyOf(sql`stray.receive_time`)}
        and reports.id <= ${lastPunctual(view)} and not reports.clock_flags & ${literal(CLOCKS.receive_time.bit)} and ${view.rowPolicy}) then null
      when stray.ahead > ${TOLERANCE} then stray.ahead
      when stray.ahead < -${TOLERANCE} and abs(stray.ahead - (select ${producedAt('reports')} - reports.receive_time
        from reports indexed by reports_node where reports.node = n.id and reports.id <= ${lastKeyOf(sql`(stray.produced - ${TOLERANCE})`)}
          and ${view.rowPolicy} order by reports.id desc limit 1)) <= ${TOLERANCE} then stray.ahead
      end
    from (select s.receive_time, ${producedAt('s')} as produced, ${producedAt('s')} - s.receive_time as ahead
      from reports s where s.id = ${lastStraying(view)}) stray)`

/** Condition that the latest report was received within seconds of its time. */
const isPunctual = (view: LifeScope): SQL =>
  sql`n.latest <= ${lastPunctual(view)} and ${lastStraying(view)} is not n.latest`

/** Reports of the node that are not ahead, the newest first. */
const pastReports = (view: LifeScope, most: number): SQL =>
  sql`(select * from reports indexed by reports_node where reports.node = n.id
    and reports.id <= ${lastPunctual(view)} and ${view.rowPolicy} order by reports.id desc limit ${literal(most)})`

/** The latest time of the node's last reports: of the newest one, unless that one's clock was ahead. */
const newestPast = (view: LifeScope): SQL =>
  sql`(select iif(${producedAt('m')} <= m.receive_time, ${producedAt('m')},
      (select max(${sql.raw(timeOfRun('x'))}) from ${pastReports(view, MOST_RUNS)} x))
    from ${pastReports(view, 1)} m)`

/** When the node's newest run was, in ms; null without runs. Reads more than an index only of nodes whose last report came late. */
export const newestRun = (view: LifeScope): SQL =>
  sql`case when n.latest is null then null when ${isPunctual(view)} then ${millisecondOfKey(sql`n.latest`)}
    else (select max(${sql.raw(timeOfRun('s'))}, coalesce(${newestPast(view)}, ${literal(Number.MIN_SAFE_INTEGER)}))
      from reports s where s.id = coalesce(${lastStraying(view)}, n.latest)) end`

/** When the node was heard of last, in ms: where its clock is off, when its last report was received. */
const heardOf = (view: LifeScope): SQL =>
  sql`iif(${clockOff(view)} is null, ${newestRun(view)},
    (select s.receive_time from reports s where s.id = ${lastStraying(view)}))`

/**
 * The usual time between two runs of the node, in ms; null with fewer intervals than that. A reader from whom runs are hidden
 * gets that of the others.
 */
export const usualInterval = (
  { hidesRuns, rowPolicy }: Pick<LifeScope, 'hidesRuns' | 'rowPolicy'>,
  intervals = 1,
): SQL =>
  hidesRuns
    ? sql`(with visible as materialized (select group_concat(run, '') as strip from (select ${sql.raw(runOf('reports'))} as run from reports
          where reports.node = n.id and ${rowPolicy} order by reports.id desc limit ${literal(MOST_RUNS)}))
        select iif(length(strip) > ${literal(intervals * 2 * RUN_BYTES)}, ${sql.raw(usualIntervalOf('strip'))}, null) from visible)`
    : sql`iif(length(n.runs) > ${literal(intervals * RUN_BYTES)}, n.usual, null)`

/** Condition that the node has run within the view's time, or never: then it is not silent. Of most nodes it reads no other row. */
const ranLately = (view: LifeScope): SQL =>
  sql`n.latest is null or n.latest >= ${literal(firstKey(view.now - view.silentAfter))} and ${isPunctual(view)}`

/** Whether a node is silent: after twice its usual interval, and not before the view's time. A node without runs is not. */
export const isSilent = (view: LifeScope): SQL =>
  sql`case when ${ranLately(view)} then 0 else ${heardOf(view)} < ${literal(view.now)} - max(${literal(view.silentAfter)},
    ${literal(LIFE_THRESHOLDS.silentIntervals.value)} * coalesce(${usualInterval(view)}, 0)) end`

/** Of a node that may be silent, the text of a `LastHeard`; null of the others. */
export const lastHeardOf = (view: LifeScope): SQL =>
  sql`case when ${ranLately(view)} then null else json_array(${heardOf(view)}, ${usualInterval(view)}, n.producer) end`

/** When a node was heard of last and its usual interval, in ms, and the id of who sent its latest report. */
export type LastHeard = readonly [heard: number, usual: number | null, producer: number | null]

/** What `isSilent` says, of a node that may be. */
export const isSilentSince = (
  { now, silentAfter }: Pick<LifeScope, 'now' | 'silentAfter'>,
  [heard, usual]: LastHeard,
): boolean =>
  heard < now - Math.max(silentAfter, LIFE_THRESHOLDS.silentIntervals.value * (usual ?? 0))
