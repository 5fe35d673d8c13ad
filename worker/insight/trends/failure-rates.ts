/** Runs and failed runs by bucket: of each environment from the counts of closed hours, of each class from failed events. */

import { sql, type SQL } from 'drizzle-orm'
import { HOUR } from '../../lib/time.ts'
import { isFailedCode } from '../../schema/states.ts'
import { groupsByDay, groupsByHour, keptGroupsByDay } from '../../sql/closed-hours.ts'
import { integer, json, nullable, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import {
  bucketOfHour,
  hourFrom,
  hourNumber,
  hourOfKey,
  hourStart,
  literal,
  millisecondOfKey,
} from '../../sql/encoding.ts'
import { UNCOUNTED_REPORTS } from '../../sql/open-hours.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { ANY_LABEL, HOUR_GROUPINGS } from '../../store/hour-groups.ts'
import { KEPT_SINCE } from '../../store/kept-since.ts'
import { DELETED_BEFORE } from '../causes/first-seen.ts'
import { inSpan, stringOf } from '../../outcomes/fragments.ts'
import { spannedGroups } from '../hour-groups.ts'
import type { TrendSpan } from './trend-buckets.ts'

/** Most classes, those with the most failed runs first. */
const MOST_CLASSES = 10

const KNOWN = {
  /** Before these times, in ms, some deleted runs are in no number: of all kinds of runs, and of stored ones. Null for never. */
  kept: nullable(integer(sql`(${KEPT_SINCE})`)),
  stored: nullable(integer(millisecondOfKey(DELETED_BEFORE))),
}
export type Known = RowOf<typeof KNOWN>

/** From when on the numbers include every run: the rates by environment, and the rates of stored runs. */
export const knownFrom = (): TypedStatement<Known> =>
  typed(KNOWN, render(sql`select ${selectList(KNOWN)}`))

/** Whether the runs that were deleted are in the rates: they have no hour, and nothing but what hours are counted by. */
export const countsDeleted = ({ view, length }: Pick<TrendSpan, 'view' | 'length'>): boolean =>
  view.ofHours && length > HOUR

const FAILED = sql.raw(isFailedCode('reports.state'))

const RATE = {
  bucket: integer(sql`bucket`),
  environment: text(stringOf(sql`environment`)),
  runs: integer(sql`sum(runs)`),
  failed: integer(sql`sum(failed)`),
  /** Of the runs, those that were deleted since. */
  kept: integer(sql`sum(kept)`),
}
export type EnvironmentRate = RowOf<typeof RATE>

/** A row for each bucket and environment that had runs. */
export function environmentRates({
  view,
  length,
}: Pick<TrendSpan, 'view' | 'length'>): TypedStatement<EnvironmentRate> {
  const first = hourFrom(view.since)
  const behind = Math.max(first, hourNumber(view.until))
  const bucketOf = (hour: SQL): SQL => sql`${bucketOfHour(hour, literal(length))} as bucket`
  const counted = (hour: SQL): SQL =>
    sql`${bucketOf(hour)}, reports.environment as environment, count(*) as runs, count(*) filter (where ${FAILED}) as failed, 0 as kept`
  const ofGroups = (rows: string, kept: SQL): SQL =>
    sql`select ${bucketOf(sql`reports.hour`)}, reports.environment as environment, sum(reports.count) as runs,
      coalesce(sum(reports.count) filter (where ${FAILED}), 0) as failed, ${kept} as kept
      from ${sql.raw(rows)} as reports where ${view.where} group by 1, 2`
  const hours = { first, behind }
  const ofClosed = countsDeleted({ view, length })
    ? sql`${ofGroups(groupsByDay(hours), sql`0`)}
        union all ${ofGroups(keptGroupsByDay({ first, behind: hourFrom(view.until) }), sql`sum(reports.count)`)}`
    : sql.join(
        groupsByHour(hours).map((rows) => ofGroups(rows, sql`0`)),
        sql` union all `,
      )
  const ofHours = sql`${ofClosed}
    union all select ${counted(sql`open_hours.hour`)} from ${sql.raw(UNCOUNTED_REPORTS)}
      where open_hours.hour >= ${literal(first)} and open_hours.hour < ${literal(behind)} and ${view.where} group by 1, 2
    union all ${ofReports({ ...view, since: Math.max(view.since, hourStart(behind)) }, counted)}`
  const every = view.ofHours ? ofHours : ofReports(view, counted)
  return typed(
    RATE,
    render(sql`select ${selectList(RATE)} from (${every}) group by bucket, environment`),
  )
}

/** Reads the reports of the span one by one. */
const ofReports = (view: TrendSpan['view'], counted: (hour: SQL) => SQL): SQL =>
  sql`select ${counted(hourOfKey(sql`reports.id`))} from reports
    where ${inSpan(sql`reports.id`, view)} and ${view.where} group by 1, 2`

const CLASS_RATE = {
  label: text(sql`label`),
  /** The failed runs of each bucket, several times for a bucket. */
  buckets: json<readonly (readonly [bucket: number, failed: number])[], SQL>(sql`buckets`),
  /** Of the whole span. */
  failed: integer(sql`failed`),
  nodes: text(sql`nodes`),
  inactive: text(sql`coalesce((select group_concat(distinct node) from minus), '')`),
}
export type ClassRate = RowOf<typeof CLASS_RATE>

/**
 * A row for each class with failed runs. A run counts for each class that contains a resource which failed in it; one that
 * only a log line says to have failed has none.
 */
export const classRates = ({ view, length }: TrendSpan): TypedStatement<ClassRate> =>
  typed(
    CLASS_RATE,
    render(sql`with ${spannedGroups(view, HOUR_GROUPINGS.class.of)}
      select ${selectList(CLASS_RATE)} from (
        select label, sum(reports) as failed, coalesce(group_concat(nodes), '') as nodes,
          json_group_array(json_array(${bucketOfHour(sql`hour`, literal(length))}, reports)) filter (where hour is not null) as buckets
        from spanned where label <> ${literal(ANY_LABEL)} group by label having sum(reports) > 0
        order by failed desc, label limit ${literal(MOST_CLASSES)})`),
  )
