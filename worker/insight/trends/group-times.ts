/** How long the runs of each group of nodes took: at the begin of a span, at its end, and bucket by bucket in between. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { json, selectList, typed, type RowOf } from '../../sql/columns.ts'
import { keyMilliseconds } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { median } from '../quantile.ts'
import { keyFrom, nextRun, priorRun } from '../../outcomes/fragments.ts'
import { nodeLists, nodesOf } from '../fragments.ts'
import { nodeGroupOf } from '../nodes/node-group.ts'
import type { View } from '../view.ts'
import { becameSlow } from '../worth/nodes.ts'
import type { RunTimes } from './run-times.ts'
import type { TrendSpan } from './trend-buckets.ts'

/** Most groups: those that became slow first, then those with the most nodes. */
const MOST_GROUPS = 24

/** Times are in seconds. */
export interface GroupTimes {
  readonly group: string
  /** Nodes whose first and last runs of the span are compared. */
  readonly nodes: number
  /** The median of their first runs and of their last runs in the span. */
  readonly before: number
  readonly seconds: number
  /** Whether it became slow, by the thresholds of what is worth a look. */
  readonly slow: boolean
  /** The median of each bucket's sampled runs; null where none is of the group. */
  readonly medians: readonly (number | null)[]
}

export interface GroupTrend {
  /** The earliest of the first runs that are compared, and the latest of the last ones; null without any. */
  readonly first: Timestamp | null
  readonly last: Timestamp | null
  /** All groups, also where only some of them are listed. */
  readonly count: number
  readonly groups: readonly GroupTimes[]
}

type Lists = readonly [
  nodes: readonly number[],
  certnames: readonly string[],
  firstKeys: readonly (number | null)[],
  lastKeys: readonly (number | null)[],
  /** In ms. */
  firstTimes: readonly (number | null)[],
  lastTimes: readonly (number | null)[],
]
const TIMED = { lists: json<Lists, SQL>(sql`c.lists`) }
export type TimedNodes = RowOf<typeof TIMED>

const tookOf = (key: SQL): SQL =>
  sql`(select r.end_time - r.start_time from reports r where r.id = ${key})`

/** The first and the last run of each node in the span: four rows for each node, however long the span is. */
export const timedNodes = ({ view }: TrendSpan): TypedStatement<TimedNodes> =>
  typed(
    TIMED,
    render(
      sql`with recursive ${nodeLists(
        (isInList) =>
          sql`select json_array(json_group_array(t.node), json_group_array(t.certname), json_group_array(t.first),
              json_group_array(t.last), json_group_array(${tookOf(sql`t.first`)}), json_group_array(${tookOf(sql`t.last`)}))
            from (select p.node, p.certname, ${nextRun(view, sql`p.node`, sql`${keyFrom(view.since)} - 1`)} as first,
                ${priorRun(view, sql`p.node`, keyFrom(view.until))} as last
              from (select reports.node, reports.certname from ${nodesOf(view)}
                where ${view.where} and ${isInList(sql`reports.row`)} and reports.latest is not null) p) t
            where t.first < t.last`,
      )} select ${selectList(TIMED)} from listed c`,
    ),
  )

interface TimedNode {
  readonly node: number
  readonly group: string
  /** Keys of its runs as times in ms. */
  readonly first: number
  readonly last: number
  readonly before: number
  readonly took: number
}

/** Nodes that first ran in the second half of the time are left out: a first run installs a node, and takes longer. */
export function groupTrendOf(
  view: Pick<View, 'nodeGroup'>,
  lists: readonly TimedNodes[],
  numbers: readonly number[],
  sampled: readonly RunTimes[],
): GroupTrend {
  const all = lists.flatMap((row) => timedOf(view, row))
  const first = all.reduce((least, node) => Math.min(least, node.first), Infinity)
  const last = all.reduce((most, node) => Math.max(most, node.last), -Infinity)
  if (all.length === 0) return { first: null, last: null, count: 0, groups: [] }
  const early = all.filter((node) => node.first <= (first + last) / 2)
  const medians = mediansOf(all, numbers, sampled)
  const groups = [...Map.groupBy(early, ({ group }) => group)]
    .map(([group, nodes]) => {
      const compared = {
        group,
        nodes: nodes.length,
        before: median(nodes.map(({ before }) => before))!,
        seconds: median(nodes.map(({ took }) => took))!,
      }
      return { ...compared, slow: becameSlow(compared) }
    })
    .toSorted(
      (one, other) =>
        Number(other.slow) - Number(one.slow) ||
        (one.slow ? other.seconds / other.before - one.seconds / one.before : 0) ||
        other.nodes - one.nodes ||
        (one.group < other.group ? -1 : 1),
    )
  return {
    first: formatTimestamp(first),
    last: formatTimestamp(last),
    count: groups.length,
    groups: groups.slice(0, MOST_GROUPS).map((one) => ({ ...one, medians: medians(one.group) })),
  }
}

const timedOf = (
  view: Pick<View, 'nodeGroup'>,
  { lists: [nodes, certnames, firstKeys, lastKeys, firstTimes, lastTimes] }: TimedNodes,
): TimedNode[] =>
  nodes.flatMap((node, index) => {
    const [before, took] = [firstTimes[index]!, lastTimes[index]!]
    // A clock that was set while a run went on.
    if (before < 0 || took < 0) return []
    return [
      {
        node,
        group: nodeGroupOf(view, certnames[index]!),
        first: keyMilliseconds(firstKeys[index]!),
        last: keyMilliseconds(lastKeys[index]!),
        before: before / 1000,
        took: took / 1000,
      },
    ]
  })

function mediansOf(
  nodes: readonly TimedNode[],
  numbers: readonly number[],
  sampled: readonly RunTimes[],
): (group: string) => (number | null)[] {
  const groupOf = new Map(nodes.map(({ node, group }) => [node, group]))
  const buckets = new Map(
    sampled.map(({ bucket, runs }) => [bucket, Map.groupBy(runs, ([node]) => groupOf.get(node))]),
  )
  return (group) =>
    numbers.map((number) => {
      const runs = buckets.get(number)?.get(group) ?? []
      const found = median(runs.map(([, ms]) => ms))
      return found === null ? null : found / 1000
    })
}
