/** When a cause or drift was first seen: over all runs that were ever stored, as far as the reader may know it. */

import { sql, type SQL } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { keyTimestamp, nullable, type Column } from '../../sql/columns.ts'
import { firstKeyOfHour, lastKey, literal, timeOfRun } from '../../sql/encoding.ts'
import { STRING_KINDS } from '../../schema/string-kinds.ts'
import { UNCOUNTED_HOURS } from '../../sql/open-hours.ts'
import { hits, notableReports, type Grouping } from '../../store/hits.ts'
import { hourGroupingOf, HOUR_GROUPINGS, type HourGrouping } from '../../store/hour-groups.ts'
import { inSpan, isCounted } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'

/** The first sighting in the environments that the reader sees; null where there is none, or only parts of environments are seen. */
const sighting = ({ rowPolicy, policyOfEnvironments }: View, kind: number, name: SQL): SQL =>
  policyOfEnvironments
    ? sql`(select min(reports.first) from (
        select (select w.id from strings w where w.kind = ${literal(STRING_KINDS.environment)} and w.value = g.environment) as environment, g.first, 0 as type
        from sightings g where g.kind = ${literal(kind)} and g.name = ${name}) as reports where ${rowPolicy})`
    : sql`null`

/** The lesser of two times, either of which may be null. */
const earlier = (one: SQL, other: SQL): SQL =>
  sql`(select min(time) from (select ${one} as time union all select ${other}))`

/** Visible reports with a cause, the first by their keys, of which one with a clock that was ahead may be the first. */
const FIRST_REPORTS = 50

const firstVisible = ({ rowPolicy }: View, where: SQL): SQL =>
  sql`(select min(time) from (select ${sql.raw(timeOfRun('reports'))} as time from report_causes rc cross join reports on reports.id = rc.report
    where rc.cause = c.id and ${where} and ${rowPolicy} order by rc.report limit ${literal(FIRST_REPORTS)}))`

/** The key before which some rule of retention has deleted reports. */
export const DELETED_BEFORE = sql`(select max(cursor) from retention_progress where rule like 'reports %')`

/**
 * When a cause `c` was first seen, in ms: with a row policy, in the visible reports and environments. Null where only parts of
 * environments are seen, and reports were deleted.
 */
export function firstSeen(view: View): SQL {
  if (!view.restricted) return sql`c.first`
  const visible = earlier(
    firstVisible(view, sql`1`),
    firstVisible(view, sql`rc.report > ${literal(lastKey(view.now))}`),
  )
  return view.policyOfEnvironments
    ? earlier(visible, sighting(view, HOUR_GROUPINGS.cause.kind, sql`c.name`))
    : sql`iif(${DELETED_BEFORE} is null, ${visible}, null)`
}

/**
 * When the group `alias` of a list was first seen, in ms: its sighting, or the time of its first hit that is not yet counted,
 * `first`; null where a grouping is not remembered, or the reader sees parts of environments.
 */
export const firstSightingOf = (view: View, grouping: HourGrouping | null, alias: SQL): SQL =>
  isRemembered(view, grouping)
    ? earlier(sighting(view, HOUR_GROUPINGS.drift.kind, sql`${alias}.label`), sql`${alias}.first`)
    : sql`null`

/**
 * The first hits that no sighting tells yet, as rows of a label and a time in ms: from `hit`, and what that lacks of all open
 * hours. Drift of inactive nodes is drift too, and clocks may be ahead of the span.
 */
export function firstHits(view: View, grouping: Grouping): SQL {
  const source = notableReports(
    sql`reports.id >= open_hours.first and reports.id < ${firstKeyOfHour(sql`(open_hours.hour + 1)`)} and ${view.rowPolicy}
      and not (${inSpan(sql`reports.id`, view)} and ${isCounted(view)})`,
    sql.raw(`${UNCOUNTED_HOURS} cross join`),
  )
  const uncounted = isRemembered(view, hourGroupingOf(grouping))
    ? sql` union all select label, report from (${hits(grouping, source)})`
    : sql``
  return sql`select h.label, min(${sql.raw(timeOfRun('r'))}) as first from (select label, report from hit${uncounted}) h cross join reports r on r.id = h.report group by h.label`
}

const isRemembered = (view: View, grouping: HourGrouping | null): boolean =>
  grouping?.kind === HOUR_GROUPINGS.drift.kind && view.policyOfEnvironments

const KNOWN_FROM = sql`(select ${firstKeyOfHour(sql`hour`)} from sightings_since)`

/** From when on it is known what was seen first; null for all runs that were ever stored. */
export const firstSeenSince = ({ policyOfEnvironments }: View): Column<Timestamp | null, SQL> =>
  nullable(keyTimestamp(policyOfEnvironments ? KNOWN_FROM : DELETED_BEFORE))

/**
 * Whether it was first seen in the span, and never before. Of drift, and for readers who see parts of the fleet, that is known
 * only where no run was ever forgotten.
 *
 * @param sight when it was first seen, in ms, and from when on that is known
 */
export const isNewIn = (
  { since, until, restricted }: View,
  sight: {
    readonly first: number | null
    readonly isCause: boolean
    readonly since: Timestamp | null
  },
): boolean =>
  sight.first !== null &&
  sight.first >= since &&
  sight.first < until &&
  (sight.since === null || (sight.isCause && !restricted))
