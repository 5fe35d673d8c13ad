/** SQL for the groups of events that lists of causes show: by reason, and by resource, class or another facet. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import {
  integer,
  json,
  nullable,
  selectList,
  text,
  timestamp,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import { literal, timeOfRun } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { hits, notableReports, type CauseFacet, type CauseKind } from '../../store/hits.ts'
import { ANY_LABEL, hourGroupingOf, HOUR_GROUPINGS } from '../../store/hour-groups.ts'
import { inSpan, isCounted, stringOf } from '../../outcomes/fragments.ts'
import { lastActive, spannedGroups } from '../hour-groups.ts'
import type { View } from '../view.ts'
import { acknowledgementColumns, quiet } from './acknowledgement.ts'
import { failingNow, firstFailing, type NodesOfCause } from './failing-nodes.ts'
import { stretchSince } from '../../outcomes/stretch.ts'
import { SAMPLE, SAMPLE_JOINS } from './cause-sample.ts'
import { firstHits, firstSeen, firstSeenSince, firstSightingOf } from './first-seen.ts'

/** The columns of a group `g` in `grouped`, for both groupings. */
const GROUP_COLUMNS = {
  label: json<number | string, SQL>(sql`json_quote(g.label)`),
  reports: integer(sql`g.reports`),
  events: integer(sql`g.events`),
  last: integer(sql`g.last`),
  hours: json<readonly (readonly [hour: number | null, reports: number])[], SQL>(sql`g.hours`),
  nodes: text(sql`coalesce(g.nodes, '')`),
  resources: text(sql`coalesce(g.resources, '')`),
  inactive: text(sql`coalesce((select group_concat(distinct node) from minus), '')`),
  all_causes: integer(
    sql`(select count(*) - count(*) filter (where label = ${literal(ANY_LABEL)}) from grouped)`,
  ),
}

const REASON_COLUMNS = {
  ...GROUP_COLUMNS,
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  first: integer(sql`g.first`),
  failing: integer(sql`g.failing`),
  since: nullable(timestamp(sql`g.since`)),
  all_failing: integer(sql`(select nodes from counted)`),
  open_causes: integer(sql`(select count(*) from failed where cause not in quiet)`),
  quiet_causes: integer(sql`(select count(*) from grouped where quiet and failing > 0)`),
  quiet_nodes: integer(sql`(select nodes - loud from counted)`),
  ...acknowledgementColumns(sql`g.quiet`),
  ...SAMPLE,
}

const FACET_COLUMNS = {
  ...GROUP_COLUMNS,
  reason: text(sql`g.label || ''`),
  event: nullable(integer(sql`g.n`)),
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  containing_class: nullable(text(sql`s.class`)),
  file: nullable(text(stringOf(sql`e.file`))),
  line: nullable(integer(sql`e.line`)),
  message: nullable(text(sql`e.message`)),
}

/** A group of either grouping. */
export type GroupedCause = RowOf<typeof FACET_COLUMNS> & {
  readonly first: number | null
  readonly first_seen_since: Timestamp | null
  readonly named?: NodesOfCause | null
} & Partial<Omit<RowOf<typeof REASON_COLUMNS>, 'first'>>

/** What a group in `grouped` has of the rows of `spanned`. */
const SUMMED =
  sql.raw(`sum(reports) as reports, sum(events) as events, json_group_array(json_array(hour, reports)) as hours,
  group_concat(nodes) as nodes, group_concat(resources) as resources`)

/**
 * Groups by reason: causes of the span, and those that nodes fail by now.
 *
 * @param named how many of the nodes that fail by each now are named
 */
export function groupsByReason(
  view: View,
  { onlyNew, limit }: { readonly onlyNew: boolean; readonly limit: number },
  named = 0,
): TypedStatement<GroupedCause> {
  const columns = {
    ...REASON_COLUMNS,
    first_seen_since: firstSeenSince(view),
    ...(named > 0 && { named: nullable(json<NodesOfCause, SQL>(firstFailing(named))) }),
  }
  const members = named > 0 ? sql`json_group_array(node order by certname)` : sql`null`
  const isNew = (label: SQL): SQL =>
    sql`(select ${firstSeen(view)} >= ${literal(view.since)} and ${firstSeen(view)} < ${literal(view.until)} from causes c where c.id = ${label})`
  const isOutside = sql`not (${inSpan(sql`failing.report`, view)})`
  const order = sql.raw(
    'g.failing = 0, g.quiet, g.failing desc, g.first desc, g.reports desc, g.label',
  )
  return typed(
    columns,
    render(sql`with quiet as materialized ${quiet(view)},
    failing as materialized (${failingNow(view)}),
    counted as materialized (select count(distinct node) as nodes,
      count(distinct node) filter (where not exists (select 1 from quiet) or cause not in quiet) as loud from failing),
    failed as materialized (select cause, count(*) as failing, min((select ${sql.raw(timeOfRun('r'))} from reports r where r.id = failing.since)) as began, ${members} as members,
      max(report) filter (where ${isOutside}) as last, group_concat(resource) filter (where ${isOutside}) as resources
      from failing group by cause),
    ${spannedGroups(view, HOUR_GROUPINGS.cause.of, { wanted: onlyNew ? isNew(sql`hit.label`) : null })},
    added as materialized (select label, max(last) as last, ${SUMMED} from (select label, hour, reports, events, last, nodes, resources from spanned
      union all select cause, null, 0, 0, last, null, resources from failed where last is not null
        ${onlyNew ? sql`and ${isNew(sql`cause`)}` : sql``}) group by label),
    summed as (select label, ${lastActive(
      sql`select coalesce(max(rc.report), (select max(failing.report) from failing where failing.cause = added.label)) from report_causes rc
        cross join reports on reports.id = rc.report where rc.cause = added.label and ${inSpan(sql`rc.report`, view)} and ${isCounted(view)}`,
      'last',
    )} as last,
      reports, events, hours, nodes, resources from added),
    grouped as materialized (select summed.*, summed.label in quiet as quiet, ${firstSeen(view)} as first,
      coalesce(now.failing, 0) as failing, now.began, now.members
      from summed left join causes c on c.id = summed.label
      left join failed now on now.cause = summed.label
      where summed.reports > 0 or now.failing > 0)
    select ${selectList(columns)}
    from (select g.*, iif(g.failing = 0, null, ${stretchSince(view, sql`g.label`, sql`g.began`)}) as since
      from (select * from grouped g order by g.label <> ${literal(ANY_LABEL)}, ${order} limit ${literal(limit + 1)}) g) g
    left join causes c on c.id = g.label left join report_causes rc on rc.cause = g.label and rc.report = g.last
    left join reports r on r.id = g.last ${SAMPLE_JOINS} order by ${order}`),
  )
}

/** Groups by facet: all groups, as their order follows from their nodes. @param days of drift, the hour before which `hours` may count whole days */
export function groupsByFacet(
  view: View,
  kind: CauseKind,
  by: Exclude<CauseFacet, 'reason'>,
  days: number,
): TypedStatement<GroupedCause> {
  const grouping = { kind, by }
  const source = notableReports(sql`${inSpan(sql`reports.id`, view)} and ${isCounted(view)}`)
  const active = (column: string): SQL =>
    sql`select ${sql.raw(column)} from (${hits(grouping, source)}) h where h.label = added.label order by h.report desc, h.n limit 1`
  const columns = {
    ...FACET_COLUMNS,
    first: nullable(integer(firstSightingOf(view, hourGroupingOf(grouping), sql`g`))),
    first_seen_since: firstSeenSince(view),
  }
  return typed(
    columns,
    render(sql`with ${spannedGroups(view, grouping, { days })},
    added as materialized (select label, max(last) as last, n, resource, ${SUMMED}
      from spanned group by label having sum(reports) > 0),
    firsts as materialized (${firstHits(view, grouping)}),
    grouped as materialized (select added.label, ${lastActive(active('report'), 'last')} as last, ${lastActive(active('n'), 'n')} as n,
      ${lastActive(active('resource'), 'resource')} as resource, firsts.first, reports, events, hours, nodes, resources
      from added left join firsts on firsts.label = added.label)
    select ${selectList(columns)} from grouped g
    left join events e on e.report = g.last and e.n = g.n left join resources s on s.id = g.resource`),
  )
}
