/** What is worth a look by the runs of nodes: changes that are pending for long, failures that come and go. */

import { sql, type SQL } from 'drizzle-orm'
import { DAY, formatTimestamp, HOUR, type Timestamp } from '../../lib/time.ts'
import { codesOf, isNotable, NOTABLE_CODES } from '../../schema/states.ts'
import { nullable, select, text } from '../../sql/columns.ts'
import { firstKey, keyMilliseconds, literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { nextRun, priorRun, stringId } from '../../outcomes/fragments.ts'
import { nodesOf } from '../fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import { packedRuns, stripOf, type Strip } from '../nodes/run-strip.ts'
import { MOST_RUNS } from '../../store/runs.ts'
import type { View } from '../view.ts'
import { WORTH_THRESHOLDS } from './rules.ts'

const { flaps, pendingHours } = WORTH_THRESHOLDS

export interface LongPending {
  readonly kind: 'pending'
  /** Resources whose change is pending for longer than the threshold. */
  readonly changes: number
  readonly nodes: number
  /** The group that all of these nodes are of; null where there is none. */
  readonly group: string | null
  /** One of the nodes, and since when changes are pending on it. */
  readonly certname: string
  readonly since: Timestamp
}

/** What `foundPending` says. */
export type FoundPending = readonly [changes: number, certnames: readonly string[], since: number]

/** Runs that can hold an event of noop. One that changed something and left more pending says so in its state. */
const CODES = codesOf(['failed', 'corrective', 'changed'])
  .filter((code) => NOTABLE_CODES.includes(code))
  .join(',')

/**
 * The nodes `p` whose latest run, and the last one before the threshold, may hold an event of noop: a JSON list of them. Few have
 * the latter, which is read twice then.
 */
export const pendingNodes = (view: View): SQL => {
  const mayPend = (state: string): SQL => sql.raw(`${state} in (${CODES})`)
  const dayAgo = literal(firstKey(view.now - pendingHours.value * HOUR))
  const before = priorRun(
    view,
    sql`p.node`,
    dayAgo,
    sql`iif(${mayPend('reports.state')}, reports.id, null)`,
  )
  return sql`json('[' || coalesce(group_concat(iif(${mayPend('p.state')} and ${before} is not null, json_array(p.node, p.certname, p.latest, ${before}), null)), '') || ']')`
}

/**
 * The changes that a node's latest run would have made, and that its last run before the threshold would have made, too: tables of
 * a WITH clause, of which `pending_found` has a row with `found`, the text of a FoundPending, if there are any.
 *
 * @param nodes SQL from FROM on, for rows `n` of json_each with the elements of `pendingNodes`
 */
export const foundPending = (view: View, nodes: SQL): SQL => {
  const noop = stringId('eventStatus', 'noop')
  return sql`pending_node as materialized (select n.value ->> 0 as node, n.value ->> 1 as certname, n.value ->> 2 as latest, n.value ->> 3 as before ${nodes}),
    pending as materialized (select p.node, p.certname, p.latest, e.resource from pending_node p
      cross join events e on e.report = p.latest and e.status = ${noop}
      where exists (select 1 from events b where b.report = p.before and b.resource = e.resource and b.status = ${noop})),
    pending_first as materialized (select first.*, (select r.id from reports r indexed by reports_node where r.node = first.node and r.type = 0 and r.id < first.latest
        and not exists (select 1 from events e where e.report = r.id and e.resource = first.resource and e.status = ${noop}) order by r.id desc limit 1) as without
      from (select * from pending order by certname, resource limit 1) first),
    pending_found as (select json_array((select count(distinct resource) from pending),
      json((select json_group_array(certname) from (select distinct certname from pending order by 1))),
      ${nextRun(view, sql`first.node`, sql`coalesce(first.without, ${literal(Number.MIN_SAFE_INTEGER)})`)}) as found from pending_first first)`
}

export function longPendingOf(
  view: Pick<View, 'nodeGroup'>,
  [changes, certnames, since]: FoundPending,
): LongPending {
  const groups = new Set(certnames.map((certname) => nodeGroupOf(view, certname)))
  return {
    kind: 'pending',
    changes,
    nodes: certnames.length,
    group: groups.size === 1 ? [...groups][0]! : null,
    certname: certnames[0]!,
    since: formatTimestamp(keyMilliseconds(since)),
  }
}

export interface ComesAndGoes {
  readonly kind: 'comes-and-goes'
  /** The cause of the last of its failures; null where the reader may not know it. */
  readonly cause: string | null
  readonly reason: string | null
  readonly certname: string
  readonly nodes: number
  /** How often that node failed and was well again, among its last runs of the last day. */
  readonly times: number
}

/** Failed runs that are read, the newest first, and nodes whose runs are looked at. */
const MOST_FAILED = 2000
const MOST_NODES = 100

const FLAPPING = {
  certname: text(sql`p.certname`),
  runs: nullable(text(sql`p.runs`)),
  cause: nullable(text(sql`c.name`)),
  reason: nullable(text(sql`c.reason`)),
}

export const comesAndGoesRead = (view: View): BatchRead<readonly ComesAndGoes[]> =>
  batchRead(
    [
      select(
        FLAPPING,
        sql`from (select p.certname, ${packedRuns(view)} as runs, (select rc.cause from report_causes rc indexed by report_causes_report
            where rc.report = p.last order by rc.event is null, rc.event limit 1) as cause
          from (select reports.certname, reports.node, reports.runs, f.last from (select node, count(*) as failed, max(id) as last
              from (select reports.node, reports.id from reports indexed by reports_notable where ${sql.raw(`reports.${isNotable('state')}`)}
                and reports.state in (${sql.raw(codesOf(['failed']).join(','))}) and reports.id >= ${literal(firstKey(view.now - DAY))}
                and reports.type = 0 and ${view.where} order by reports.id desc limit ${literal(MOST_FAILED)})
              group by node having failed >= ${literal(flaps.value)} order by failed limit ${literal(MOST_NODES)}) f
            cross join ${nodesOf(view)} on reports.node = f.node) p) p left join causes c on c.id = p.cause`,
      ),
    ],
    ([rows]) =>
      rows
        .map(({ certname, runs, cause, reason }) => ({
          kind: 'comes-and-goes' as const,
          cause,
          reason: view.restricted ? null : reason,
          certname,
          nodes: 1,
          times: timesOver(stripOf(runs ?? '', MOST_RUNS), view.now - DAY),
        }))
        .filter(({ times }) => times >= flaps.value)
        .toSorted(
          (one, other) => other.times - one.times || (one.certname < other.certname ? -1 : 1),
        ),
  )

/** How often a failed run was followed by a good one. Most strips have no such run, and no time of theirs is read. @param since in ms */
const timesOver = ({ states, runs }: Strip, since: number): number =>
  states.filter(
    ({ state }, index) =>
      state !== 'failed' &&
      states[index - 1]?.state === 'failed' &&
      Date.parse(runs()[index]!.time) >= since,
  ).length
