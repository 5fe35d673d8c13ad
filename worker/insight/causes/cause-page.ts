/** Shows one cause: its nodes and environments, when it began, and the code version it began with. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import {
  flag,
  integer,
  keyTimestamp,
  nullable,
  select,
  text,
  type RowOf,
} from '../../sql/columns.ts'
import { hourOfKey, hourStart, literal, lowerHexOf } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import { inSpan, isCounted, stringOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { firstSeen, type CauseSummary } from './cause-list.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'

export interface CausePageOptions {
  /** Most resources and most affected nodes listed. */
  readonly limit: number
}

/** Numbers count the span; first and last seen cover all history. */
export interface CausePage extends Omit<CauseSummary, 'hours' | 'failing'> {
  readonly hours: readonly { readonly start: Timestamp; readonly reports: number }[]
  readonly environments: readonly { readonly environment: string; readonly nodes: number }[]
  /** Code versions of the first report of each affected node, the most frequent first. */
  readonly began_with: readonly { readonly code_version: string; readonly nodes: number }[]
  readonly resources: readonly AffectedResource[]
  readonly affected: readonly AffectedNode[]
}

/** @throws NotFound where no visible report has a cause of that name */
export const causePageRead = (
  view: View,
  name: string,
  { limit }: CausePageOptions,
): BatchRead<CausePage> =>
  batchRead(
    [
      summary(view, name),
      spread(view, name),
      affectedResources(view, name, limit),
      firstVersions(view, name),
      affectedNodes(view, name, limit),
    ],
    ([[found], counts, resources, versions, affected]) => {
      if (!found) throw new NotFound('cause', name)
      const sample = sampleOf(found)
      return {
        cause: found.cause,
        reason: labelOf(view, found, sample),
        nodes: found.nodes,
        reports: found.reports,
        events: found.events,
        first_seen: formatTimestamp(found.first),
        last_seen: found.last_seen,
        new: found.first >= view.since,
        ...sample,
        resource: found.resource,
        more_resources: found.more_resources,
        containing_class: found.containing_class,
        file: found.file,
        line: found.line,
        hours: hoursOf(view, counts),
        environments: counts.flatMap(({ environment, count }) =>
          environment === null ? [] : [{ environment, nodes: count }],
        ),
        began_with: beganWith(versions),
        resources,
        affected,
      }
    },
  )

/** The cause `c` of that name. */
const named = (name: string): SQL => sql`(select * from causes where name = ${name}) c`

/** The cause's rows of report_causes, `rc`, with their `reports`, within the view. */
const hits = (view: View, name: string): SQL =>
  sql`${named(name)} cross join report_causes rc on rc.cause = c.id and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report and ${isCounted(view)}`

const summaryColumns = (view: View) => ({
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  nodes: integer(sql`g.nodes`),
  reports: integer(sql`g.reports`),
  events: integer(sql`coalesce(g.events, 0)`),
  first: integer(firstSeen(view)),
  last_seen: keyTimestamp(sql`rc.report`),
  more_resources: integer(sql`g.more`),
  ...SAMPLE,
})

/** No row where no visible report has the cause. */
function summary(
  view: View,
  name: string,
): TypedStatement<RowOf<ReturnType<typeof summaryColumns>>> {
  const last = sql`(select rc.report from report_causes rc join reports on reports.id = rc.report
    where rc.cause = c.id and ${view.rowPolicy} order by rc.report desc limit 1)`
  return select(
    summaryColumns(view),
    sql`from ${named(name)} cross join (select count(distinct reports.node) as nodes, count(*) as reports, sum(rc.events) as events,
        max(count(distinct rc.resource) - 1, 0) as more from ${hits(view, name)}) g
      join report_causes rc on rc.cause = c.id and rc.report = ${last}
      join reports r on r.id = rc.report ${SAMPLE_JOINS}`,
  )
}

/** Hours with their number of reports; the second half of the statement selects environments with their number of nodes. */
const COUNT = {
  hour: nullable(integer(hourOfKey(sql`rc.report`))),
  environment: nullable(text(sql`null`)),
  count: integer(sql`count(*)`),
}
type Count = RowOf<typeof COUNT>

const spread = (view: View, name: string): TypedStatement<Count> =>
  select(
    COUNT,
    sql`from ${hits(view, name)} group by 1
      union all select null, ${stringOf(sql`g.environment`)}, g.nodes from (
        select reports.environment, count(distinct reports.node) as nodes from ${hits(view, name)} group by 1) g
      order by 3 desc, 2`,
  )

function hoursOf(view: View, counts: readonly Count[]): CausePage['hours'] {
  const byHour = new Map(counts.map(({ hour, count }) => [hour, count]))
  return lastHoursOf(view).map((hour) => ({
    start: formatTimestamp(hourStart(hour)),
    reports: byHour.get(hour) ?? 0,
  }))
}

const RESOURCE = {
  resource: text(sql`coalesce(s.type || '[' || s.title || ']', 'no resource')`),
  file: nullable(text(stringOf(sql`g.file`))),
  line: nullable(integer(sql`g.line`)),
  events: integer(sql`g.events`),
}
type AffectedResource = RowOf<typeof RESOURCE>

/** From the first events of its reports. */
const affectedResources = (
  view: View,
  name: string,
  limit: number,
): TypedStatement<AffectedResource> =>
  select(
    RESOURCE,
    sql`from (select rc.resource, rc.file, rc.line, max(sum(rc.events), count(*)) as events from ${hits(view, name)} group by 1, 2, 3) g
      left join resources s on s.id = g.resource
      order by g.events desc, s.type || '[' || s.title || ']' limit ${literal(limit)}`,
  )

const VERSION = {
  codeId: nullable(text(stringOf(sql`r.code_id`))),
  configurationVersion: text(sql`r.configuration_version`),
  nodes: integer(sql`count(*)`),
}
type Version = RowOf<typeof VERSION>

/** From the first report of each node. */
const firstVersions = (view: View, name: string): TypedStatement<Version> =>
  select(
    VERSION,
    sql`from (select min(rc.report) as first from ${hits(view, name)} group by reports.node) g
      join reports r on r.id = g.first group by r.code_id, r.configuration_version`,
  )

function beganWith(rows: readonly Version[]): CausePage['began_with'] {
  const nodes = new Map<string, number>()
  for (const row of rows) {
    const version = codeVersionOf(row)
    if (version !== null) nodes.set(version, (nodes.get(version) ?? 0) + row.nodes)
  }
  return [...nodes]
    .map(([code_version, count]) => ({ code_version, nodes: count }))
    .sort((one, other) => other.nodes - one.nodes)
}

const NODE = {
  certname: text(sql`n.certname`),
  first: keyTimestamp(sql`g.first`),
  last: keyTimestamp(sql`g.last`),
  reports: integer(sql`g.reports`),
  /** The hash of the node's last report with the cause. */
  report: text(lowerHexOf(sql`r.hash`)),
  /** Whether the node's latest report still has it. */
  still: flag(
    sql`exists (select 1 from report_causes x where x.cause = g.cause and x.report = n.latest)`,
  ),
}
type AffectedNode = RowOf<typeof NODE>

/** The most recently affected first. */
const affectedNodes = (view: View, name: string, limit: number): TypedStatement<AffectedNode> =>
  select(
    NODE,
    sql`from (select rc.cause, reports.node, min(rc.report) as first, max(rc.report) as last, count(*) as reports
      from ${hits(view, name)} group by reports.node order by last desc limit ${literal(limit)}) g
    join nodes n on n.id = g.node join reports r on r.id = g.last order by g.last desc, n.certname`,
  )
