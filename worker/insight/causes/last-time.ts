/** How a cause ended the last time that nodes failed by it. Computed when asked: an arriving report writes nothing for it. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { flag, integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { keyMilliseconds, literal, lowerHexOf } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { versionOf } from '../../outcomes/code-versions.ts'
import { isCounted } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'
import { failingBy } from './failing-nodes.ts'

/**
 * Most reports with the cause that are read, the newest first, each with the next one of its node: a stretch that began
 * before them is not told.
 */
export const MOST_READ_OF_CAUSE = 600

/** A stretch of time through which nodes failed by the cause, from the first report with it to the first without. */
export interface LastTime {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly seconds: number
  /** Nodes that failed by it. */
  readonly nodes: number
  /** The run that ended it: that of the last node. */
  readonly certname: string
  readonly report: string
  /** What that run applied; null where reports name no code version. */
  readonly code_version: string | null
  /** Whether the node had applied other code when it failed. */
  readonly code_changed: boolean
}

const STRETCH = {
  since: integer(sql`g.since`),
  until: integer(sql`g.until`),
  nodes: integer(sql`g.nodes`),
  /** Whether the stretch may have begun before the reports that were read. */
  cut: flag(sql`g.since = g.first and g.read = ${literal(MOST_READ_OF_CAUSE)}`),
  certname: text(sql`n.certname`),
  report: text(lowerHexOf(sql`r.hash`)),
  code_version: nullable(text(versionOf(sql`r`))),
  code_changed: flag(
    sql`${versionOf(sql`r`)} is not (select ${versionOf(sql`b`)} from reports b where b.node = r.node and b.type = 0 and b.id < r.id order by b.id desc limit 1)`,
  ),
}
type Stretch = RowOf<typeof STRETCH>

/**
 * The last stretch that is over, as no row or one: of the visible reports with the cause before those of the present
 * stretch, a report follows each on its node; stretches are what these intervals cover without a gap.
 */
export function lastStretches(view: View, name: string): TypedStatement<Stretch> {
  const present: SQL = sql`coalesce((select min(since) from (${failingBy(view, name)})), ${literal(Number.MAX_SAFE_INTEGER)})`
  return select(
    STRETCH,
    sql`from (
      select min(report) as since, max(next) as until, count(distinct node) as nodes, first, read, key from (
        select *, sum(begins) over (order by report) as number, min(report) over () as first, count(*) over () as read from (
          select *, coalesce(report > max(next) over (order by report rows between unbounded preceding and 1 preceding), 1) as begins
          from (
            select p.key, rc.report, reports.node, coalesce((select x.id from reports x indexed by reports_node
              where x.node = reports.node and x.type = 0 and x.id > rc.report order by x.id limit 1), rc.report) as next
            from (select ${present} as key, (select id from causes where name = ${name}) as cause) p
            cross join report_causes rc on rc.cause = p.cause and rc.report < p.key
            cross join reports on reports.id = rc.report and ${isCounted(view)}
            order by rc.report desc limit ${literal(MOST_READ_OF_CAUSE)})))
      group by number) g
    cross join reports r on r.id = g.until cross join nodes n on n.id = r.node
    where g.until < g.key and not exists (select 1 from report_causes x where x.report = r.id and x.cause = (select id from causes where name = ${name}))
    order by g.since desc limit 1`,
  )
}

export function lastTimeOf([stretch]: readonly Stretch[]): LastTime | null {
  if (stretch === undefined || stretch.cut) return null
  const { cut: _, since, until, ...others } = stretch
  const [begun, ended] = [keyMilliseconds(since), keyMilliseconds(until)]
  return {
    since: formatTimestamp(begun),
    until: formatTimestamp(ended),
    seconds: Math.round((ended - begun) / 1000),
    ...others,
  }
}
