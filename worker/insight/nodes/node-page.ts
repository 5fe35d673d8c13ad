/** Shows one node, active or not: its runs, and when and why it began to fail. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import type { Timestamp } from '../../lib/time.ts'
import {
  integer,
  keyTimestamp,
  nullable,
  select,
  text,
  timestamp,
  type RowOf,
  json,
} from '../../sql/columns.ts'
import { lowerHexOf, literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { reportCauseOf, reportCauses, type ReportCause } from '../causes/report-causes.ts'
import { andVisibleNode, ACTIVE } from '../../outcomes/fragments.ts'
import { lifeColumns } from '../fragments.ts'
import { lastReports } from '../reports/report-list.ts'
import { reportRowOf, type ReportRow } from '../reports/report-row.ts'
import type { View } from '../view.ts'
import { lastGoodOf } from '../../outcomes/fragments.ts'
import { nodeColumns, nodeRowOf, type NodeRow } from './node-row.ts'
import { definePanel, runsParameter } from '../panel.ts'
import { isFailedCode, isNotFailedCode } from '../../schema/states.ts'
import { versionOf } from '../../outcomes/code-versions.ts'
import { nodeGroupOf } from './node-group.ts'

export interface NodePageOptions {
  /** Runs listed, at most 200. */
  readonly runs: number
}

export interface NodePage extends Omit<NodeRow, 'strip'> {
  /** When it began to fail: the first report after the last good one, and the number of reports since. Null unless failed. */
  readonly failing: {
    readonly since: Timestamp
    readonly report: string
    readonly runs: number
  } | null
  readonly last_good_report: string | null
  readonly deactivated: Timestamp | null
  readonly expired: Timestamp | null
  /** Oldest first, each with its hash. */
  readonly runs: readonly ReportRow[]
  /** The causes of the latest report; empty unless it failed. */
  readonly causes: readonly ReportCause[]
  /** A node to compare it with; null unless it failed. */
  readonly neighbour: HealthyNeighbour | null
}

/** @throws NotFound where no node of that name is visible */
export function nodePageRead(
  view: View,
  certname: string,
  { runs }: NodePageOptions,
): BatchRead<NodePage> {
  const node = named(view, certname)
  return batchRead(
    [
      select(
        nodePageColumns(view),
        sql`from ${node} left join reports r on r.id = p.latest left join ${afterLastGood(view, node)} f on f.first is not null`,
      ),
      lastReports(view, certname, runs),
      reportCauses(sql`(select p.latest from ${node})`),
    ],
    ([[found], reports, causes]) => {
      if (!found) throw new NotFound('node', certname)
      const { strip: _, ...row } = nodeRowOf(found, 0)
      return {
        ...row,
        failing: row.run?.state === 'failed' ? failingOf(found) : null,
        last_good_report: found.lastGoodReport,
        deactivated: found.deactivated,
        expired: found.expired,
        runs: reports.map(reportRowOf).reverse(),
        causes: causes.map((cause) => reportCauseOf(view, cause)),
        neighbour: nearestOf(view, found.certname, found.neighbours),
      }
    },
  )
}

/** The node `p` of that name. */
const named = (view: View, certname: string): SQL =>
  sql`(select n.id as node, n.certname, n.latest, n.good, n.runs, n.deactivated, n.expired, ${lifeColumns(view)}
    from nodes n where n.certname = ${certname}${andVisibleNode(view)}) p`

const nodePageColumns = (view: View) => ({
  ...nodeColumns(view),
  neighbours: neighbourColumn(view),
  deactivated: nullable(timestamp(sql`p.deactivated`)),
  expired: nullable(timestamp(sql`p.expired`)),
  failingSince: nullable(keyTimestamp(sql`f.first`)),
  failingReport: nullable(
    text(sql`(select ${lowerHexOf(sql`b.hash`)} from reports b where b.id = f.first)`),
  ),
  failingRuns: nullable(integer(sql`f.runs`)),
  lastGoodReport: nullable(
    text(sql`(select ${lowerHexOf(sql`g.hash`)} from reports g where g.id = ${lastGoodOf(view)})`),
  ),
})

/** The first report of a node after its last good one, and how many there are; null where there is none. */
const afterLastGood = (view: View, node: SQL): SQL =>
  sql`(select min(reports.id) as first, count(*) as runs from (select p.node, ${lastGoodOf(view)} as good from ${node}) g
      cross join reports indexed by reports_node on reports.node = g.node and reports.id > coalesce(g.good, -9007199254740991)
      where ${view.rowPolicy})`

const failingOf = ({
  failingSince: since,
  failingReport: report,
  failingRuns: runs,
}: RowOf<ReturnType<typeof nodePageColumns>>): NodePage['failing'] =>
  since === null || report === null || runs === null ? null : { since, report, runs }

export const NODE_PANEL = definePanel({
  path: '/nodes/:certname',
  summary: 'One node: its runs, since when it fails and why.',
  takes: { runs: runsParameter(100, 200) },
  read: (view, { certname, runs }) => nodePageRead(view, certname, { runs }),
})

/** Of the same group, environment and code version, and its latest run did not fail. */
interface HealthyNeighbour {
  readonly certname: string
  /** Hash of its latest report. */
  readonly report: string
}

type Candidate = readonly [certname: string, report: string]

/** So many nodes are looked at in front of and behind a name. */
const NEAREST = 50

/** The candidates of a node `p` with its latest report `r`, as a column; null unless it failed. */
const neighbourColumn = (view: View) => {
  const near = (isBefore: boolean): SQL =>
    sql`select * from (select n.certname, n.latest from nodes n
      where n.certname ${sql.raw(isBefore ? '<' : '>')} p.certname and ${ACTIVE}${andVisibleNode(view)}
      order by n.certname${sql.raw(isBefore ? ' desc' : '')} limit ${literal(NEAREST)})`
  return nullable(
    json<readonly Candidate[], SQL>(
      sql`iif(${sql.raw(isFailedCode('r.state'))}, (select json_group_array(json_array(n.certname, ${lowerHexOf(sql`b.hash`)}))
        from (${near(true)} union all ${near(false)}) n cross join reports b on b.id = n.latest
        where ${sql.raw(isNotFailedCode('b.state'))} and b.environment = r.environment and ${versionOf(sql`b`)} = ${versionOf(sql`r`)}), null)`,
    ),
  )
}

/** The candidate of the node's group that is nearest by name: the one whose name begins as its name for longest. */
function nearestOf(
  view: Pick<View, 'nodeGroup'>,
  certname: string,
  candidates: readonly Candidate[] | null,
): HealthyNeighbour | null {
  const group = nodeGroupOf(view, certname)
  const [nearest] = (candidates ?? [])
    .filter(([other]) => nodeGroupOf(view, other) === group)
    .sort(
      ([one], [other]) =>
        sharedBy(certname, other) - sharedBy(certname, one) || (one < other ? -1 : 1),
    )
  return nearest === undefined ? null : { certname: nearest[0], report: nearest[1] }
}

/** The number of characters that two names begin with. */
function sharedBy(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}
