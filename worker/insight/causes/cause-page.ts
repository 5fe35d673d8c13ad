/** Shows one cause: its nodes and environments, when it began, and the code version it began with. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import {
  integer,
  json,
  keyTimestamp,
  nullable,
  select,
  selectList,
  text,
  timestamp,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import {
  firstKeyOf,
  hourOfKey,
  hourStart,
  keyMilliseconds,
  literal,
  lowerHexOf,
  timeOfRun,
} from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import {
  answering,
  batchRead,
  inOneStatement,
  namedReads,
  type BatchRead,
} from '../../store/batch-read.ts'
import { lastHoursOf, MOST_HOURS } from '../buckets.ts'
import { codeThatBegan } from '../deploys/breakages.ts'
import { breakages, type Breakage } from '../../outcomes/breakages.ts'
import type { CodeOfEnvironment } from '../../outcomes/code-versions.ts'
import { inSpan, isCounted, keyFrom, nextRun, stringOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'
import { acknowledgementColumns, acknowledgementOf, quiet } from './acknowledgement.ts'
import type { CauseList, CauseSummary } from './cause-list.ts'
import { failingBy } from './failing-nodes.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'
import { firstSeen, firstSeenSince, isNewIn } from './first-seen.ts'
import { allStretches, stretchesOf, type CauseStretch } from './all-stretches.ts'
import { stretchSince } from '../../outcomes/stretch.ts'
import { lastStretches, lastTimeOf, type LastTime } from './last-time.ts'
import { limitParameter, definePanel } from '../panel.ts'

export interface CausePageOptions {
  /** Most resources and most affected nodes listed. */
  readonly limit: number
  /** Affected nodes that are passed over: those of the pages before. */
  readonly from?: number
}

/** Numbers count the span; first and last seen cover all history. */
export interface CausePage extends Omit<
  CauseSummary,
  'cause' | 'hours' | 'failing' | 'first_seen'
> {
  readonly cause: string
  /** Null where the reader sees parts of environments, and reports were deleted. */
  readonly first_seen: Timestamp | null
  readonly first_seen_since: CauseList['first_seen_since']
  /** Nodes whose latest run has the cause, whenever that was. */
  readonly failing: number
  /** How it ended the last time that nodes failed by it; null where it never did, or as long ago as is not read. */
  readonly last_time: LastTime | null
  /** The newest first. Those of deleted runs stay for five years. */
  readonly stretches: readonly CauseStretch[]
  /**
   * Stretches before it are not known, or not whole: before the upgrade that brought them, or with a filter or row policy by nodes.
   * Null for none.
   */
  readonly stretches_since: Timestamp | null
  readonly hours: readonly { readonly start: Timestamp; readonly reports: number }[]
  readonly environments: readonly { readonly environment: string; readonly nodes: number }[]
  /** The version of the code that it began with; null where there is none, or no node fails by it now. */
  readonly began_with: CodeOfEnvironment | null
  /** How many nodes failed by it from a time on, each from its first run with it to its first run after the last; at most 200 steps. */
  readonly spread: readonly SpreadStep[]
  readonly resources: readonly AffectedResource[]
  readonly affected: readonly AffectedNode[]
}

/** A cause, and what broke in its span. Three statements. @throws NotFound where no visible report has or had a cause of that name */
export const causePageRead = (
  view: View,
  name: string,
  { limit, from = 0 }: CausePageOptions,
): BatchRead<{ readonly cause: CausePage; readonly breakages: readonly Breakage[] }> =>
  answering(
    namedReads({
      cause: batchRead([summary(view, name), details(view, name, { limit, from })], (rows) => rows),
      others: inOneStatement(
        batchRead(
          [lastStretches(view, name), breakages(view), allStretches(view, name)],
          ([last, broke, all]) => ({ lastTime: lastTimeOf(last), broke, ...stretchesOf(all) }),
        ),
      ),
    }),
    ({ cause: [[found], [detail]], others }) => {
      if (!found) throw new NotFound('cause', name)
      return { cause: causeOf(view, found, detail!, others), breakages: others.broke }
    },
  )

function causeOf(
  view: View,
  found: RowOf<ReturnType<typeof summaryColumns>>,
  detail: RowOf<typeof DETAILS>,
  {
    broke,
    lastTime,
    stretches,
    known,
  }: ReturnType<typeof stretchesOf> & {
    readonly broke: readonly Breakage[]
    readonly lastTime: LastTime | null
  },
): CausePage {
  const sample = found.stored === 1 ? sampleOf(found) : { derived: true, sample: null }
  const { hours, environments, resources, spread, affected } = detail
  return {
    cause: found.cause,
    reason: labelOf(view, found, sample),
    failing: found.failing,
    nodes: found.nodes,
    reports: found.reports,
    events: found.events,
    first_seen: found.first === null ? null : formatTimestamp(found.first),
    first_seen_since: found.first_seen_since,
    since: found.since,
    acknowledged: acknowledgementOf(view, found),
    last_seen: found.last_seen,
    new: isNewIn(view, { ...found, isCause: true, since: found.first_seen_since }),
    ...sample,
    resource: found.resource,
    more_resources: found.more_resources,
    containing_class: found.containing_class,
    file: found.file,
    line: found.line,
    last_time: lastTime,
    stretches,
    stretches_since: known,
    hours: hoursOf(view, hours),
    environments: environments.map(([environment, nodes]) => ({ environment, nodes })),
    began_with: codeThatBegan(broke, found),
    spread: spreadOf(spread),
    resources: resources.map(([resource, file, line, events]) => ({
      resource,
      file,
      line,
      events,
    })),
    affected: affected.map(([certname, first, last, reports, report, still]) => ({
      certname,
      first: formatTimestamp(keyMilliseconds(first)),
      last: formatTimestamp(keyMilliseconds(last)),
      reports,
      report,
      still: still === 1,
    })),
  }
}

/** The cause `c` of that name. */
const named = (name: string): SQL => sql`(select * from causes where name = ${name}) c`

/** The cause's rows of report_causes, `rc`, with their `reports`, within the view. */
const hits = (view: View, name: string): SQL =>
  sql`${named(name)} cross join report_causes rc on rc.cause = c.id and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report and ${isCounted(view)}`

const summaryColumns = (view: View) => ({
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  failing: integer(sql`now.failing`),
  since: nullable(timestamp(stretchSince(view, sql`c.id`, sql`now.since`))),
  nodes: integer(sql`g.nodes`),
  reports: integer(sql`g.reports`),
  events: integer(sql`coalesce(g.events, 0)`),
  first: nullable(integer(firstSeen(view))),
  first_seen_since: firstSeenSince(view),
  last_seen: keyTimestamp(sql`coalesce(rc.report, ${firstKeyOf(LAST_DELETED)})`),
  /** 1 where one of its reports is, which its sample is from; else 0. */
  stored: integer(sql`rc.report is not null`),
  more_resources: integer(sql`g.more`),
  ...acknowledgementColumns(sql`c.id in ${quiet(view)}`),
  ...SAMPLE,
})

/** When the last of its deleted runs was, in ms. */
const LAST_DELETED = sql`(select max(last) from cause_days where cause = c.name)`

/**
 * No row where no visible report has the cause, and none that was deleted had it. Readers with a row policy need a report to see:
 * the stored reason may be of another one.
 */
function summary(
  view: View,
  name: string,
): TypedStatement<RowOf<ReturnType<typeof summaryColumns>>> {
  const last = sql`(select rc.report from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = c.id and ${view.rowPolicy} order by rc.report desc limit 1)`
  return select(
    summaryColumns(view),
    sql`from ${named(name)} cross join (select count(distinct reports.node) as nodes, count(*) as reports, sum(rc.events) as events,
        max(count(distinct rc.resource) - 1, 0) as more from ${hits(view, name)}) g
      cross join (select count(*) as failing, min(${sql.raw(timeOfRun('r'))}) as since from (${failingBy(view, name)}) f left join reports r on r.id = f.since) now
      left join report_causes rc on rc.cause = c.id and rc.report = ${last}
      left join reports r on r.id = rc.report ${SAMPLE_JOINS}
      where rc.report is not null${view.restricted ? sql`` : sql` or ${LAST_DELETED} is not null`}`,
  )
}

type HourCount = readonly [hour: number, reports: number]

/** Lists, each as JSON, so that they take one statement. */
const DETAILS = {
  hours: json<
    readonly HourCount[],
    SQL
  >(sql`(select json_group_array(json_array(hour, reports)) from (
    select ${hourOfKey(sql`hit.report`)} as hour, count(*) as reports from hit group by 1 order by 1 desc limit ${literal(MOST_HOURS)}))`),
  environments: json<readonly (readonly [environment: string, nodes: number])[], SQL>(
    sql`(select json_group_array(json_array(environment, nodes)) from (
      select ${stringOf(sql`hit.environment`)} as environment, count(distinct hit.node) as nodes from hit group by 1 order by 2 desc, 1))`,
  ),
  resources: json<readonly (readonly [string, string | null, number | null, number])[], SQL>(
    sql`(select json_group_array(json_array(resource, ${stringOf(sql`file`)}, line, events)) from resource)`,
  ),
  spread: json<readonly (readonly [key: number, change: number])[], SQL>(
    sql`(select json_group_array(json_array(key, change)) from spread)`,
  ),
  affected: json<readonly (readonly [string, number, number, number, string, 0 | 1])[], SQL>(
    sql`(select json_group_array(json_array(certname, first, last, reports, hash, still)) from affected)`,
  ),
}

/** Most steps of a spread. */
const SPREAD_STEPS = 200

/** What the cause hits in the span. Resources are those of the first events of its reports; nodes, the most recently affected first. */
const details = (
  view: View,
  name: string,
  { limit, from }: Required<CausePageOptions>,
): TypedStatement<RowOf<typeof DETAILS>> =>
  typed(
    DETAILS,
    render(sql`with hit as materialized (select rc.cause, rc.report, rc.events, rc.resource, rc.file, rc.line,
        reports.node, reports.environment from ${hits(view, name)}),
      resource as materialized (select coalesce(s.type || '[' || s.title || ']', 'no resource') as resource, g.file, g.line, g.events
        from (select resource, file, line, max(sum(events), count(*)) as events from hit group by 1, 2, 3) g
        left join resources s on s.id = g.resource order by 4 desc, 1 limit ${literal(limit)}),
      affected as materialized (select n.certname, g.first, g.last, g.reports, ${lowerHexOf(sql`r.hash`)} as hash,
          exists (select 1 from report_causes x where x.cause = g.cause and x.report = n.latest) as still
        from (select cause, node, min(report) as first, max(report) as last, count(*) as reports from hit
          group by node order by last desc, node limit ${literal(limit)} offset ${literal(from)}) g
        cross join nodes n on n.id = g.node cross join reports r on r.id = g.last order by g.last desc, n.certname),
      stretch as materialized (select g.first, ${nextRun(view, sql`g.node`, sql`g.last`)} as ended
        from (select node, min(report) as first, max(report) as last from hit group by node) g),
      began as materialized (select min(first) as first, (${keyFrom(view.until)} - min(first)) / ${literal(SPREAD_STEPS)} + 1 as step from stretch),
      spread as materialized (select began.first + bucket * began.step as key, sum(change) as change from began,
        (select (first - (select first from began)) / (select step from began) as bucket, 1 as change from stretch
          union all select max((first - (select first from began)) / (select step from began) + 1, (ended - (select first from began)) / (select step from began)), -1
            from stretch where ended < ${keyFrom(view.until)})
        group by bucket having sum(change) <> 0 order by bucket)
      select ${selectList(DETAILS)}`),
  )

function hoursOf(view: View, counts: readonly HourCount[]): CausePage['hours'] {
  const byHour = new Map(counts)
  return lastHoursOf(view).map((hour) => ({
    start: formatTimestamp(hourStart(hour)),
    reports: byHour.get(hour) ?? 0,
  }))
}

export interface SpreadStep {
  readonly time: Timestamp
  readonly nodes: number
}

function spreadOf(changes: RowOf<typeof DETAILS>['spread']): SpreadStep[] {
  let nodes = 0
  return changes.map(([key, change]) => {
    nodes += change
    return { time: formatTimestamp(keyMilliseconds(key)), nodes }
  })
}

interface AffectedResource {
  readonly resource: string
  readonly file: string | null
  readonly line: number | null
  readonly events: number
}

interface AffectedNode {
  readonly certname: string
  readonly first: Timestamp
  readonly last: Timestamp
  readonly reports: number
  /** The hash of the node's last report with the cause. */
  readonly report: string
  /** Whether the node's latest report still has it. */
  readonly still: boolean
}

export const CAUSE_PANEL = definePanel({
  path: '/causes/:cause',
  summary: 'One cause: its nodes, resources and the code version that it began with.',
  takes: { limit: limitParameter(50, 500) },
  read: (view, { cause, limit }) =>
    answering(causePageRead(view, cause, { limit }), (page) => page.cause),
})
