/** The nodes whose latest run failed, by cause: the run by which each began to fail, and the first ones by name. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { isFailedCode } from '../../schema/states.ts'
import { keyMilliseconds, literal, lowerHexOf } from '../../sql/encoding.ts'
import { nodesOf } from '../fragments.ts'
import { lastGoodOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'

/** Most runs after the last good one, and before the latest, in which the beginning of a cause is looked for. */
const MOST_FAILED_BEFORE = 20

/**
 * The first report with the cause of `rc` in the stretch in which the node `p` fails by it: since its last run without the cause
 * or, where that is not among its last runs, since the last good one; null where it came late after that.
 */
const failingSince = (view: View): SQL =>
  sql`iif(not exists (select 1 from reports a indexed by reports_node
      where a.node = p.node and a.type = 0 and a.id > coalesce(${lastGoodOf(view)}, ${literal(Number.MIN_SAFE_INTEGER)}) and a.id < p.latest), rc.report,
    (select b.report from (select a.id from reports a indexed by reports_node
      where a.node = p.node and a.type = 0 and a.id > coalesce((select o.id from (select x.id from reports x indexed by reports_node
          where x.node = p.node and x.type = 0 and x.id < p.latest order by x.id desc limit ${literal(MOST_FAILED_BEFORE)}) o
        where not exists (select 1 from report_causes y where y.cause = rc.cause and y.report = o.id) order by o.id desc limit 1),
        ${lastGoodOf(view)}, ${literal(Number.MIN_SAFE_INTEGER)})
      order by a.id limit ${literal(MOST_FAILED_BEFORE)}) a
    cross join report_causes b on b.cause = rc.cause and b.report = a.id order by a.id limit 1))`

/** Rows of nodes whose latest run failed, one for each of its causes, whenever it was. */
export const failingNow = (view: View): SQL =>
  sql`select rc.cause, rc.report, rc.events, rc.resource, p.node, p.certname, ${failingSince(view)} as since
    from (select reports.node, reports.certname, reports.latest, reports.good
      from ${nodesOf(view)} where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}) p
    cross join report_causes rc indexed by report_causes_report on rc.report = p.latest`

/** Of the nodes that fail by the cause of that name now. */
export const failingBy = (view: View, name: string): SQL =>
  sql`select * from (${failingNow(view)}) where cause = (select id from causes where name = ${name})`

/** Of a group, so many of the nodes that fail by it, by certname; null of one by which none does. */
export const firstFailing = (most: number): SQL =>
  sql`(select json_group_array(json_array(n.certname, n.latest, ${lowerHexOf(sql`r.hash`)})) from (select value from json_each(g.members) limit ${literal(most)}) m
    cross join nodes n on n.id = m.value cross join reports r on r.id = n.latest)`

export interface FailingNode {
  readonly certname: string
  /** Of its latest run, with the hash of its report. */
  readonly time: Timestamp
  readonly report: string
}

/** Names of causes → the first nodes that fail by them. */
export type FailingNodes = ReadonlyMap<string, readonly FailingNode[]>

/** Those of a cause, as SQL lists them. */
export type NodesOfCause = readonly (readonly [certname: string, key: number, hash: string])[]

export const failingNodesOf = (
  rows: readonly { readonly cause?: string; readonly named?: NodesOfCause | null }[],
): FailingNodes =>
  new Map(
    rows.flatMap(({ cause, named }) =>
      cause === undefined || !named
        ? []
        : [
            [
              cause,
              named.map(([certname, key, report]) => ({
                certname,
                time: formatTimestamp(keyMilliseconds(key)),
                report,
              })),
            ],
          ],
    ),
  )
