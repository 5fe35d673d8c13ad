/** One cause: its reach in a span. */

import { sql, type SQL } from 'drizzle-orm'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { hourOf } from '../../store/key.ts'
import { firstSeen, SAMPLE_JOINS, sampleColumns, visible } from './cause-groups.ts'
import { inSpan, whole, wordOf, type View } from '../fragments.ts'

/** The cause `c` of that name. */
const named = (name: string): SQL => sql`(select * from causes where name = ${name}) c`

/** Its rows of report_causes, `rc`, with their `reports`, within the view. */
const hits = (view: View, name: string): SQL =>
  sql`${named(name)} cross join report_causes rc on rc.cause = c.id and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report and ${visible(view)}`

/**
 * [name, reason, nodes, reports, events, first in ms, last key, …, what it quotes]: numbers of the view,
 * first and last of all that may be seen. No row where nothing of it may be seen.
 */
export function causeHead(view: View, name: string): Statement {
  const last = sql`(select rc.report from report_causes rc join reports on reports.id = rc.report
    where rc.cause = c.id and ${view.rowPolicy} order by rc.report desc limit 1)`
  return render(sql`select c.name as c0, c.reason as c1, g.nodes as c2, g.reports as c3, coalesce(g.events, 0) as c4,
      ${firstSeen(view)} as c5, rc.report as c6, null as c7, null as c8, null as c9, null as c10, ${sampleColumns('g.more')}
    from ${named(name)} cross join (select count(distinct reports.node) as nodes, count(*) as reports, sum(rc.events) as events,
        max(count(distinct rc.resource) - 1, 0) as more from ${hits(view, name)}) g
      join report_causes rc on rc.cause = c.id and rc.report = ${last}
      join reports r on r.id = rc.report ${SAMPLE_JOINS}`)
}

/** ['hour', hour, reports] and ['environment', its name, nodes]. */
export const causeSpread = (view: View, name: string): Statement =>
  render(sql`select 'hour' as c0, ${sql.raw(hourOf('rc.report >> 10'))} as c1, count(*) as c2
    from ${hits(view, name)} group by 2
    union all select 'environment', ${wordOf(sql`g.environment`)}, g.nodes from (
      select reports.environment, count(distinct reports.node) as nodes from ${hits(view, name)} group by 1) g
    order by 3 desc, 2`)

/** [resource, file, line, events] of the first events of its reports. */
export const causeResources = (view: View, name: string, limit: number): Statement =>
  render(sql`select s.type || '[' || s.title || ']' as c0, ${wordOf(sql`g.file`)} as c1, g.line as c2, g.events as c3
    from (select rc.resource, rc.file, rc.line, max(sum(rc.events), count(*)) as events from ${hits(view, name)} group by 1, 2, 3) g
    left join resources s on s.id = g.resource order by g.events desc, 1 limit ${whole(limit)}`)

/** [code id, configuration version, nodes]: of the first report of each node. */
export const causeVersions = (view: View, name: string): Statement =>
  render(sql`select ${wordOf(sql`r.code_id`)} as c0, r.configuration_version as c1, count(*) as c2
    from (select min(rc.report) as first from ${hits(view, name)} group by reports.node) g
    join reports r on r.id = g.first group by r.code_id, r.configuration_version`)

/** [certname, first key, last key, reports, hash of the last, whether the latest has it], those affected last first. */
export const causeNodes = (view: View, name: string, limit: number): Statement =>
  render(sql`select n.certname as c0, g.first as c1, g.last as c2, g.reports as c3, lower(hex(r.hash)) as c4,
      exists (select 1 from report_causes x where x.cause = g.cause and x.report = n.latest) as c5
    from (select rc.cause, reports.node, min(rc.report) as first, max(rc.report) as last, count(*) as reports
      from ${hits(view, name)} group by reports.node order by last desc limit ${whole(limit)}) g
    join nodes n on n.id = g.node join reports r on r.id = g.last order by g.last desc, n.certname`)
