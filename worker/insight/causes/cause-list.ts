/** Lists what broke, drifted or would change: groups of events, each with its nodes and reports. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
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
import { hourStart, keyMilliseconds, literal, lowerHexOf, timeOfRun } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import {
  CAUSE_FACETS,
  CAUSE_KINDS,
  hits,
  notableReports,
  type CauseFacet,
  type CauseKind,
} from '../../store/hits.ts'
import { ANY_LABEL, hourGroupingOf, HOUR_GROUPINGS } from '../../store/hour-groups.ts'
import { inSpan, isCounted, stringOf } from '../fragments.ts'
import {
  activeNodes,
  distinctIds,
  lastActive,
  mostNodesFirst,
  spannedGroups,
} from '../hour-groups.ts'
import type { View } from '../view.ts'
import {
  acknowledgementColumns,
  acknowledgementOf,
  quiet,
  type Acknowledgement,
} from './acknowledgement.ts'
import { failingNodesOf, type FailingNodes, type NodesOfCause } from './failing-nodes.ts'
import { failingNow } from './failing-now.ts'
import { stretchSince } from './stretch.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'
import { firstHits, firstSeen, firstSeenSince, firstSightingOf, isNewIn } from './first-seen.ts'
import { asChoice, asFlag } from '../../schema/readers.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

type OtherFacet = Exclude<CauseFacet, 'reason'>

export interface CauseListOptions {
  readonly kind: CauseKind
  /** Only failures have reasons; other kinds are grouped by resource instead. */
  readonly by: CauseFacet
  /** Only those first seen in the span. */
  readonly onlyNew: boolean
  /** Most causes listed: by the nodes that fail by them now, acknowledged ones behind, then the newest first; facets by all nodes of the span. */
  readonly limit: number
}

export interface CauseList {
  readonly kind: CauseKind
  readonly by: CauseFacet
  /** Number of all causes, including those beyond the limit. */
  readonly total: number
  /** Number of nodes that have any of them. */
  readonly nodes: number
  /** Number of nodes whose latest run failed, whenever that was; null for facets. */
  readonly failing: number | null
  /** Number of causes by which nodes fail now and that are not acknowledged, in the span or before it; null for facets. */
  readonly open: number | null
  /** Of those by reason that fail now: the acknowledged causes, and the nodes that fail by no other; null for facets. */
  readonly acknowledged: { readonly causes: number; readonly nodes: number } | null
  /** Number of reports in the span that have any. */
  readonly reports: number
  /**
   * The time from which on it is known what was seen first: runs before it were deleted before their causes were remembered
   * or, for readers who see some nodes only, were deleted. Null where it is known of all runs that were ever stored.
   */
  readonly first_seen_since: Timestamp | null
  /** Starts of the hours counted in each cause's `hours`: those of the span, or of its last hundred days. */
  readonly hours: readonly Timestamp[]
  readonly items: readonly CauseSummary[]
}

export interface CauseSummary {
  /** Names the cause in an address; null where it is a facet, whose `reason` is the resource, class or `file:line`. */
  readonly cause: string | null
  readonly reason: string
  /** Nodes whose latest run has the cause, whenever that was; null for facets. */
  readonly failing: number | null
  /** Nodes with the cause in the span. */
  readonly nodes: number
  readonly reports: number
  readonly events: number
  /**
   * The earliest run with the cause, or of drift by resource, among all that were ever stored, from `first_seen_since` of the
   * list on; null for other groups.
   */
  readonly first_seen: Timestamp | null
  /** The first failing run of the stretch through which nodes fail by it, nodes that are well again included; null where none fails now. */
  readonly since: Timestamp | null
  readonly acknowledged: Acknowledgement | null
  /** Within the span. */
  readonly last_seen: Timestamp
  /** First seen within the span, and never before; false where that is not known. */
  readonly new: boolean
  readonly derived: boolean
  /** One message verbatim, with its resource. */
  readonly sample: string | null
  readonly resource: string | null
  /** Further resources that had the cause. */
  readonly more_resources: number
  readonly containing_class: string | null
  readonly file: string | null
  readonly line: number | null
  /** Reports per hour, in the order of the list's `hours`. */
  readonly hours: readonly number[]
}

export function causeListRead(view: View, options: CauseListOptions): BatchRead<CauseList> {
  const { kind } = options
  const by = options.by === 'reason' && kind !== 'failure' ? 'resource' : options.by
  const statement: TypedStatement<Row> =
    by === 'reason' ? byReason(view, options) : byFacet(view, kind, by)
  return batchRead([statement], ([rows]) => listOf(view, { ...options, by }, rows))
}

/** Why nodes fail, and some of those that fail by each listed cause now. */
export function failuresRead(
  view: View,
  { limit, nodes }: { readonly limit: number; readonly nodes: number },
): BatchRead<{ readonly causes: CauseList; readonly failing: FailingNodes }> {
  const options = { kind: 'failure', by: 'reason', onlyNew: false, limit } as const
  return batchRead([byReason(view, options, nodes)], ([rows]) => ({
    causes: listOf(view, options, rows),
    failing: failingNodesOf(rows),
  }))
}

function listOf(
  view: View,
  { kind, by, limit }: CauseListOptions,
  rows: readonly Row[],
): CauseList {
  const hours = lastHoursOf(view)
  const groups = rows.filter(({ label }) => label !== ANY_LABEL)
  const all = rows.find(({ label }) => label === ANY_LABEL)
  const listed = (by === 'reason' ? groups : mostNodesFirst(groups)).slice(0, limit)
  return {
    kind,
    by,
    total: rows[0]?.all_causes ?? 0,
    nodes: all === undefined ? 0 : activeNodes(all).size,
    failing: by === 'reason' ? (rows[0]?.all_failing ?? 0) : null,
    open: by === 'reason' ? (rows[0]?.open_causes ?? 0) : null,
    acknowledged:
      by === 'reason'
        ? { causes: rows[0]?.quiet_causes ?? 0, nodes: rows[0]?.quiet_nodes ?? 0 }
        : null,
    reports: all?.reports ?? 0,
    first_seen_since: rows[0]?.first_seen_since ?? null,
    hours: hours.map((hour) => formatTimestamp(hourStart(hour))),
    items: listed.map((row) => summaryOf(row, view, hours)),
  }
}

function summaryOf(row: Row, view: View, hours: readonly number[]): CauseSummary {
  const sample = sampleOf(row)
  const { cause = null, first } = row
  const counts = new Map<number, number>()
  for (const [hour, reports] of row.hours)
    if (hour !== null) counts.set(hour, (counts.get(hour) ?? 0) + reports)
  return {
    cause,
    reason: cause === null ? row.reason : labelOf(view, row, sample),
    failing: row.failing ?? null,
    nodes: activeNodes(row).size,
    reports: row.reports,
    events: row.events,
    first_seen: first === null ? null : formatTimestamp(first),
    since: row.since ?? null,
    acknowledged: acknowledgementOf(view, {
      quiet: row.quiet ?? false,
      acknowledgement: row.acknowledgement ?? null,
    }),
    last_seen: formatTimestamp(keyMilliseconds(row.last)),
    new:
      first !== null &&
      isNewIn(view, { first, isCause: cause !== null, since: row.first_seen_since }),
    ...sample,
    resource: row.resource,
    more_resources: Math.max(0, distinctIds(row.resources).size - 1),
    containing_class: row.containing_class,
    file: row.file,
    line: row.line,
    hours: hours.map((hour) => counts.get(hour) ?? 0),
  }
}

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
  open_causes: integer(sql`(select causes from counted)`),
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

type Row = RowOf<typeof FACET_COLUMNS> & {
  readonly first: number | null
  readonly first_seen_since: Timestamp | null
  readonly named?: NodesOfCause | null
} & Partial<Omit<RowOf<typeof REASON_COLUMNS>, 'first'>>

/** Of a group, so many of the nodes that fail by it, by certname; null of one by which none does. */
const namedNodes = (most: number): SQL =>
  sql`(select json_group_array(json_array(n.certname, n.latest, ${lowerHexOf(sql`r.hash`)})) from (select value from json_each(g.members) limit ${literal(most)}) m
    cross join nodes n on n.id = m.value cross join reports r on r.id = n.latest)`

/** What a group in `grouped` has of the rows of `spanned`. */
const SUMMED =
  sql.raw(`sum(reports) as reports, sum(events) as events, json_group_array(json_array(hour, reports)) as hours,
  group_concat(nodes) as nodes, group_concat(resources) as resources`)

/** Groups by reason: causes of the span, and those that nodes fail by now. */
function byReason(
  view: View,
  { onlyNew, limit }: Pick<CauseListOptions, 'onlyNew' | 'limit'>,
  named = 0,
): TypedStatement<Row> {
  const columns = {
    ...REASON_COLUMNS,
    first_seen_since: firstSeenSince(view),
    ...(named > 0 && { named: nullable(json<NodesOfCause, SQL>(namedNodes(named))) }),
  }
  const members = named > 0 ? sql`json_group_array(node order by certname)` : sql`null`
  const isNew = (label: SQL): SQL =>
    sql`(select ${firstSeen(view)} >= ${literal(view.since)} and ${firstSeen(view)} < ${literal(view.until)} from causes c where c.id = ${label})`
  const order = sql.raw(
    'g.failing = 0, g.quiet, g.failing desc, g.first desc, g.reports desc, g.label',
  )
  return typed(
    columns,
    render(sql`with quiet as materialized ${quiet(view)},
    failing as materialized (${failingNow(view)}),
    counted as materialized (select count(distinct node) as nodes, count(distinct cause) filter (where cause not in quiet) as causes,
      count(distinct node) filter (where cause not in quiet) as loud from failing),
    ${spannedGroups(view, HOUR_GROUPINGS.cause.of, onlyNew ? isNew(sql`hit.label`) : null)},
    every as materialized (select label, hour, reports, events, last, nodes, resources from spanned
      union all select cause, null, 0, 0, report, null, resource from failing where not (${inSpan(sql`failing.report`, view)})
        ${onlyNew ? sql`and ${isNew(sql`cause`)}` : sql``}),
    added as materialized (select label, max(last) as last, ${SUMMED} from every group by label),
    summed as (select label, ${lastActive(
      sql`select coalesce(max(rc.report), (select max(failing.report) from failing where failing.cause = added.label)) from report_causes rc
        cross join reports on reports.id = rc.report where rc.cause = added.label and ${inSpan(sql`rc.report`, view)} and ${isCounted(view)}`,
      'last',
    )} as last,
      reports, events, hours, nodes, resources from added),
    grouped as materialized (select summed.*, summed.label in quiet as quiet, ${firstSeen(view)} as first,
      coalesce(now.failing, 0) as failing, now.began, now.members
      from summed left join causes c on c.id = summed.label
      left join (select cause, count(*) as failing, min((select ${sql.raw(timeOfRun('r'))} from reports r where r.id = failing.since)) as began, ${members} as members from failing group by cause) now on now.cause = summed.label
      where summed.reports > 0 or now.failing > 0)
    select ${selectList(columns)}
    from (select g.*, iif(g.failing = 0, null, ${stretchSince(view, sql`g.label`, sql`g.began`)}) as since
      from (select * from grouped g order by g.label <> ${literal(ANY_LABEL)}, ${order} limit ${literal(limit + 1)}) g) g
    left join causes c on c.id = g.label left join report_causes rc on rc.cause = g.label and rc.report = g.last
    left join reports r on r.id = g.last ${SAMPLE_JOINS} order by ${order}`),
  )
}

/** Groups by facet: all groups, as their order follows from their nodes. */
function byFacet(view: View, kind: CauseKind, by: OtherFacet): TypedStatement<Row> {
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
    render(sql`with ${spannedGroups(view, grouping)},
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

export const CAUSES_PANEL = defineListPanel({
  path: '/causes',
  summary: 'Why runs failed, drifted or would change: groups with their nodes.',
  takes: {
    kind: asChoice('The kind of events.', 'failure', CAUSE_KINDS),
    by: asChoice('What to group by.', 'reason', CAUSE_FACETS),
    new: asFlag('Only causes that were first seen in the span.', false),
    limit: limitParameter(50, 500),
  },
  read: (view, { new: onlyNew, ...others }) => causeListRead(view, { ...others, onlyNew }),
  columns: [
    'cause',
    'reason',
    'failing',
    'nodes',
    'reports',
    'events',
    'first_seen',
    'since',
    'last_seen',
    'new',
    'acknowledged',
    'sample',
    'resource',
    'more_resources',
    'containing_class',
    'file',
    'line',
  ],
})
