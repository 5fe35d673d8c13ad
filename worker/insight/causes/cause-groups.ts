/** Causes of a span with their reach: by reason from the rows of causes, by anything else from the events of the reports that have any. */

import { sql, type SQL } from 'drizzle-orm'
import { codesOf, isNotable } from '../../schema/states.ts'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { hourOf } from '../../store/key.ts'
import { idOfWord, INACTIVE, inSpan, whole, wordOf, type View } from '../fragments.ts'

export interface CauseChoice {
  readonly onlyNew: boolean
  readonly limit: number
}

/** Bytes of a body that is read along to quote a log line of it. */
const LONGEST_QUOTED = 200_000

/** Reports in the view of nodes that are active. */
export const visible = ({ where }: View): SQL => sql`${where} and reports.node not in ${INACTIVE}`

/** When a cause `c` was first seen, in ms: over all history or, under a row policy, by a report that may be seen. */
export const firstSeen = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select rc.report >> 10 from report_causes rc join reports on reports.id = rc.report
        where rc.cause = c.id and ${rowPolicy} order by rc.report limit 1)`
    : sql`c.first`

/** Reports an hour of the hits with the group's key: JSON of [hour, reports]. */
const hoursOf = (condition: SQL): SQL =>
  sql`(select json_group_array(json_array(hour, reports)) from (
    select ${sql.raw(hourOf('hit.report >> 10'))} as hour, count(distinct hit.report) as reports from hit where ${condition} group by 1))`

/**
 * [name, reason, nodes, reports, events, first in ms, last key, hours, all causes, all nodes, all reports,
 * event or null, log or null, resource, further resources, class, file, line, message, metric names, body]:
 * those on the most nodes first.
 */
export function causesByReason(view: View, { onlyNew, limit }: CauseChoice): Statement {
  const hits = sql`select rc.cause, rc.report, rc.events, rc.resource, reports.node
    from causes c cross join report_causes rc on rc.cause = c.id and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report where ${visible(view)}`
  const fresh = onlyNew ? sql` where c.first >= ${whole(view.since)}` : sql``
  return render(sql`with every as materialized (${hits}),
    seen as materialized (select c.id, c.name, c.reason, ${firstSeen(view)} as first from causes c
      where c.id in (select cause from every)),
    hit as materialized (select every.* from every join seen c on c.id = every.cause${fresh}),
    grouped as materialized (select hit.cause, count(distinct hit.node) as nodes, count(*) as reports, sum(hit.events) as events,
      max(hit.report) as last, max(count(distinct hit.resource) - 1, 0) as more from hit group by 1)
    select c.name as c0, c.reason as c1, g.nodes as c2, g.reports as c3, g.events as c4, c.first as c5, g.last as c6,
      ${hoursOf(sql`hit.cause = g.cause`)} as c7, (select count(*) from grouped) as c8,
      (select count(distinct node) from hit) as c9, (select count(distinct report) from hit) as c10,
      ${sampleColumns('g.more')}
    from (select * from grouped order by nodes desc, reports desc, last desc, cause limit ${whole(limit)}) g
    join seen c on c.id = g.cause join report_causes rc on rc.cause = g.cause and rc.report = g.last
    join reports r on r.id = g.last ${SAMPLE_JOINS} order by g.nodes desc, g.reports desc, g.last desc, g.cause`)
}

/** What a row `rc` of report_causes, of the report `r`, quotes: c11 to c20. */
export const sampleColumns = (more: string): SQL =>
  sql`rc.event as c11, rc.log as c12, s.type || '[' || s.title || ']' as c13, ${sql.raw(more)} as c14, s.class as c15,
    ${wordOf(sql`rc.file`)} as c16, rc.line as c17, e.message as c18,
    (select names from metric_sets where id = r.metric_set) as c19,
    iif(rc.log is not null and length(r.body) < ${whole(LONGEST_QUOTED)}, hex(r.body), null) as c20`

export const SAMPLE_JOINS = sql.raw(
  'left join events e on e.report = rc.report and e.n = rc.event left join resources s on s.id = rc.resource',
)

export type EventFacet = 'resource' | 'class' | 'location'
export type EventKind = 'failure' | 'corrective' | 'noop'

/** What events are grouped by, of an event `e` with its resource `s`, and of a failure that only a log line tells. */
const FACETS: Readonly<Record<EventFacet, { event: SQL; told: SQL }>> = {
  resource: { event: sql`s.type || '[' || s.title || ']'`, told: sql`'catalog'` },
  class: { event: sql`coalesce(s.class, 'no class')`, told: sql`'catalog'` },
  location: {
    event: sql`coalesce(${wordOf(sql`e.file`)} || coalesce(':' || e.line, ''), 'no file')`,
    told: sql`coalesce(${wordOf(sql`rc.file`)} || coalesce(':' || rc.line, ''), 'no file')`,
  },
}

/** The states of reports that may have such events, and the condition on an event `e`. */
const KINDS: Readonly<Record<EventKind, { states: readonly number[]; event: SQL }>> = {
  failure: {
    states: codesOf(['failed']),
    event: sql`e.status = ${idOfWord('eventStatus', 'failure')}`,
  },
  corrective: {
    states: codesOf(['failed', 'corrective']),
    event: sql`e.status = ${idOfWord('eventStatus', 'success')} and e.corrective_change = 1`,
  },
  noop: {
    states: codesOf(['failed', 'corrective', 'changed']),
    event: sql`e.status = ${idOfWord('eventStatus', 'noop')}`,
  },
}

/** As `causesByReason`: [null, label, nodes, reports, events, first in span in ms, …]. */
export function causesByFacet(
  view: View,
  kind: EventKind,
  facet: EventFacet,
  limit: number,
): Statement {
  const { states, event } = KINDS[kind]
  const { event: label, told } = FACETS[facet]
  const reports = sql`reports indexed by reports_notable`
  const chosen = sql`${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${sql.raw(states.join(','))})
    and ${inSpan(sql`reports.id`, view)} and ${visible(view)}`
  const events = sql`select ${label} as label, reports.id as report, reports.node, e.n, e.resource
    from ${reports} cross join events e on e.report = reports.id and ${event} cross join resources s on s.id = e.resource
    where ${chosen}`
  const lines = sql`select ${told}, reports.id, reports.node, null, null
    from causes c cross join report_causes rc on rc.cause = c.id and rc.event is null and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report where ${visible(view)}`
  const hits = kind === 'failure' ? sql`${events} union all ${lines}` : events
  return render(sql`with hit as materialized (${hits}),
    grouped as materialized (select label, count(distinct node) as nodes, count(distinct report) as reports, count(n) as events,
      max(report) as last, n, resource, max(count(distinct resource) - 1, 0) as more from hit group by label)
    select null as c0, g.label as c1, g.nodes as c2, g.reports as c3, g.events as c4,
      (select min(hit.report) from hit where hit.label = g.label) >> 10 as c5, g.last as c6,
      ${hoursOf(sql`hit.label = g.label`)} as c7, (select count(*) from grouped) as c8,
      (select count(distinct node) from hit) as c9, (select count(distinct report) from hit) as c10,
      g.n as c11, null as c12, s.type || '[' || s.title || ']' as c13, g.more as c14, s.class as c15,
      ${wordOf(sql`e.file`)} as c16, e.line as c17, e.message as c18, null as c19, null as c20
    from (select * from grouped order by nodes desc, reports desc, last desc, label limit ${whole(limit)}) g
    left join events e on e.report = g.last and e.n = g.n left join resources s on s.id = g.resource
    order by g.nodes desc, g.reports desc, g.last desc, g.label`)
}
