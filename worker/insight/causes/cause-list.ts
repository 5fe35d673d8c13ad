/** Lists what broke, drifted or would change: groups of events, each with its nodes and reports. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import {
  integer,
  json,
  keyTimestamp,
  nullable,
  selectList,
  text,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import { hourOfKey, hourStart, literal, millisecondOfKey } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import { isFailedCode } from '../../schema/states.ts'
import { inSpan, isCounted, nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { lastGoodOf } from '../nodes/node-row.ts'
import {
  acknowledgementColumns,
  acknowledgementOf,
  quiet,
  type Acknowledgement,
} from './acknowledgement.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'
import {
  CAUSE_FACETS,
  CAUSE_KINDS,
  eventHits,
  EVENT_SAMPLE,
  type CauseFacet,
  type CauseKind,
} from './event-hits.ts'
import { asChoice, asFlag } from '../../schema/readers.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

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
  /** Of those by reason that fail now: the acknowledged causes, and the nodes that fail by no other; null for facets. */
  readonly acknowledged: { readonly causes: number; readonly nodes: number } | null
  /** Number of reports in the span that have any. */
  readonly reports: number
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
  /** Over all history if grouped by reason, otherwise within the span. */
  readonly first_seen: Timestamp
  /** Since when nodes that fail by it now fail by it without a good run between; null where none does. */
  readonly since: Timestamp | null
  readonly acknowledged: Acknowledgement | null
  /** Within the span. */
  readonly last_seen: Timestamp
  /** First seen within the span; false for facets. */
  readonly new: boolean
  readonly derived: boolean
  /** One message verbatim, with its resource. */
  readonly sample: string | null
  readonly resource: string | null
  /** Further resources that have the cause. */
  readonly more_resources: number
  readonly containing_class: string | null
  readonly file: string | null
  readonly line: number | null
  /** Reports per hour, in the order of the list's `hours`. */
  readonly hours: readonly number[]
}

/** Takes one round trip with one statement. */
export function causeListRead(view: View, options: CauseListOptions): BatchRead<CauseList> {
  const { kind } = options
  const by = options.by === 'reason' && kind !== 'failure' ? 'resource' : options.by
  const statement: TypedStatement<Row> =
    by === 'reason' ? byReason(view, options) : byFacet(view, kind, by, options.limit)
  return batchRead([statement], ([rows]) => {
    const hours = lastHoursOf(view)
    return {
      kind,
      by,
      total: rows[0]?.all_causes ?? 0,
      nodes: rows[0]?.all_nodes ?? 0,
      failing: by === 'reason' ? (rows[0]?.all_failing ?? 0) : null,
      acknowledged:
        by === 'reason'
          ? { causes: rows[0]?.quiet_causes ?? 0, nodes: rows[0]?.quiet_nodes ?? 0 }
          : null,
      reports: rows[0]?.all_reports ?? 0,
      hours: hours.map((hour) => formatTimestamp(hourStart(hour))),
      items: rows.map((row) => summaryOf(row, view, hours)),
    }
  })
}

/** Whether a cause that was first seen at that time, in ms, came within the span. */
export const isNewIn = ({ since, until }: View, first: number): boolean =>
  first >= since && first < until

function summaryOf(row: Row, view: View, hours: readonly number[]): CauseSummary {
  const sample = sampleOf(row)
  const { cause = null, first } = row
  const counts = new Map(row.hours)
  return {
    cause,
    reason: cause === null ? row.reason : labelOf(view, row, sample),
    failing: row.failing ?? null,
    nodes: row.nodes,
    reports: row.reports,
    events: row.events,
    first_seen: formatTimestamp(first),
    since: row.since ?? null,
    acknowledged: acknowledgementOf(view, {
      quiet: row.quiet ?? false,
      acknowledgement: row.acknowledgement ?? null,
    }),
    last_seen: row.last_seen,
    new: cause !== null && isNewIn(view, first),
    ...sample,
    resource: row.resource,
    more_resources: row.more_resources,
    containing_class: row.containing_class,
    file: row.file,
    line: row.line,
    hours: hours.map((hour) => counts.get(hour) ?? 0),
  }
}

/** The columns of a group `g` in `grouped`, whose reports and nodes are in `hit`, for both groupings. */
const groupColumns = (condition: SQL) => ({
  nodes: integer(sql`g.nodes`),
  reports: integer(sql`g.reports`),
  events: integer(sql`g.events`),
  last_seen: keyTimestamp(sql`g.last`),
  more_resources: integer(sql`g.more`),
  hours: json<[hour: number, reports: number][], SQL>(
    sql`(select json_group_array(json_array(hour, reports)) from (
      select ${hourOfKey(sql`hit.report`)} as hour, count(distinct hit.report) as reports from hit where ${condition} group by 1))`,
  ),
  all_causes: integer(sql`(select count(*) from grouped)`),
  all_nodes: integer(sql`(select count(distinct node) from hit)`),
  all_reports: integer(sql`(select count(distinct report) from hit)`),
})

const REASON_COLUMNS = {
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  first: integer(sql`c.first`),
  failing: integer(sql`g.failing`),
  since: nullable(keyTimestamp(sql`g.since`)),
  all_failing: integer(sql`(select count(distinct node) from failing)`),
  quiet_causes: integer(sql`(select count(*) from grouped where quiet and failing > 0)`),
  quiet_nodes: integer(
    sql`(select count(*) from (select node from failing group by node having min(cause in quiet)))`,
  ),
  ...acknowledgementColumns(sql`g.quiet`),
  ...groupColumns(sql`hit.cause = g.cause`),
  ...SAMPLE,
}

const FACET_COLUMNS = {
  reason: text(sql`g.label`),
  first: integer(
    millisecondOfKey(sql`(select min(hit.report) from hit where hit.label = g.label)`),
  ),
  ...groupColumns(sql`hit.label = g.label`),
  ...EVENT_SAMPLE,
}

type Row = RowOf<typeof FACET_COLUMNS> & Partial<RowOf<typeof REASON_COLUMNS>>

/** When a cause `c` was first seen, in ms: over all history or, with a row policy, in the visible reports. */
export const firstSeen = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`(select ${millisecondOfKey(sql`rc.report`)} from report_causes rc join reports on reports.id = rc.report
        where rc.cause = c.id and ${rowPolicy} order by rc.report limit 1)`
    : sql`c.first`

/** Most runs after the last good one in which the beginning of a cause is looked for. */
const MOST_FAILED_BEFORE = 20

/** The first report with the cause of `rc` since the last run of the node `p` that did not fail; null where it came late. */
const failingSince = (view: View): SQL =>
  sql`(select b.report from (select a.id from reports a indexed by reports_node
      where a.node = p.node and a.type = 0 and a.id > coalesce(${lastGoodOf(view)}, ${literal(Number.MIN_SAFE_INTEGER)})
      order by a.id limit ${literal(MOST_FAILED_BEFORE)}) a
    cross join report_causes b on b.cause = rc.cause and b.report = a.id order by a.id limit 1)`

/** Rows of nodes whose latest run failed, one for each of its causes, whenever it was. */
export const failingNow = (view: View): SQL =>
  sql`select rc.cause, rc.report, rc.events, rc.resource, p.node, ${failingSince(view)} as since
    from (select reports.node, reports.latest, reports.good
      from ${nodesOf(view)} where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}) p
    cross join report_causes rc indexed by report_causes_report on rc.report = p.latest`

/** Of the nodes that fail by the cause of that name now. */
export const failingBy = (view: View, name: string): SQL =>
  sql`select * from (${failingNow(view)}) where cause = (select id from causes where name = ${name})`

/** Groups by reason, from the rows of causes. */
function byReason(view: View, { onlyNew, limit }: CauseListOptions): TypedStatement<Row> {
  const hits = sql`select rc.cause, rc.report, rc.events, rc.resource, reports.node, null as since
    from causes c cross join report_causes rc on rc.cause = c.id and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report where ${isCounted(view)}`
  const isNew = onlyNew
    ? sql` where c.first >= ${literal(view.since)} and c.first < ${literal(view.until)}`
    : sql``
  return typed(
    REASON_COLUMNS,
    render(sql`with quiet as materialized ${quiet(view)},
    failing as materialized (${failingNow(view)}),
    every as materialized (select *, 1 as spanned from (${hits})
      union all select *, 0 from failing where not (${inSpan(sql`failing.report`, view)})),
    seen as materialized (select c.id, c.name, c.reason, ${firstSeen(view)} as first from causes c
      where c.id in (select cause from every)),
    listed as materialized (select every.* from every join seen c on c.id = every.cause${isNew}),
    hit as materialized (select * from listed where spanned),
    grouped as materialized (select listed.cause, listed.cause in quiet as quiet, (select count(*) from failing where failing.cause = listed.cause) as failing,
      (select min(since) from failing where failing.cause = listed.cause) as since, (select first from seen where seen.id = listed.cause) as first,
      count(distinct iif(spanned, listed.node, null)) as nodes, sum(spanned) as reports, sum(iif(spanned, listed.events, 0)) as events,
      max(listed.report) as last, max(count(distinct listed.resource) - 1, 0) as more from listed group by 1)
    select ${selectList(REASON_COLUMNS)}
    from (select * from grouped order by failing = 0, quiet, failing desc, first desc, nodes desc, cause limit ${literal(limit)}) g
    join seen c on c.id = g.cause join report_causes rc on rc.cause = g.cause and rc.report = g.last
    join reports r on r.id = g.last ${SAMPLE_JOINS} order by g.failing = 0, g.quiet, g.failing desc, g.first desc, g.nodes desc, g.cause`),
  )
}

/** Groups by facet, from the events of reports with events of the kind. */
const byFacet = (
  view: View,
  kind: CauseKind,
  facet: Exclude<CauseFacet, 'reason'>,
  limit: number,
): TypedStatement<Row> =>
  typed(
    FACET_COLUMNS,
    render(sql`with hit as materialized (${eventHits(view, kind, facet)}),
    grouped as materialized (select label, count(distinct node) as nodes, count(distinct report) as reports, count(n) as events,
      max(report) as last, n, resource, max(count(distinct resource) - 1, 0) as more from hit group by label)
    select ${selectList(FACET_COLUMNS)}
    from (select * from grouped order by nodes desc, reports desc, last desc, label limit ${literal(limit)}) g
    left join events e on e.report = g.last and e.n = g.n left join resources s on s.id = g.resource
    order by g.nodes desc, g.reports desc, g.last desc, g.label`),
  )

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
