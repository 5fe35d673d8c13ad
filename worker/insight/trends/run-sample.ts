/**
 * Takes a bounded sample of the runs of a span, for figures that would need every run. Each bucket is cut into slices of
 * equal length, and the first runs of each slice are read. Thirteen slices have no common beat with runs each half hour,
 * so that all minutes of an hour are met; a bucket with few runs is read whole.
 */

import { sql, type SQL } from 'drizzle-orm'
import { firstKeyOf, integerOf, literal } from '../../sql/encoding.ts'
import type { TrendSpan } from './trend-buckets.ts'

const SLICES = 13
/** A filter leaves some of the runs that are read. */
const MORE_WITH_FILTER = 4

/**
 * Rows of `bucket` and the columns of `reports`, as a source of a statement.
 *
 * @param runs the most runs read of each slice
 */
export function runSample({ view, length, numbers }: TrendSpan, runs: number): SQL {
  const start = sql`(${integerOf(sql`b.value`)} * ${literal(length)} + ${literal(length)} * ${integerOf(sql`s.value`)} / ${literal(SLICES)})`
  const end = sql`(${integerOf(sql`b.value`)} * ${literal(length)} + ${literal(length)} * (${integerOf(sql`s.value`)} + 1) / ${literal(SLICES)})`
  const most = isWhole(view) ? runs : runs * MORE_WITH_FILTER
  const slices = Array.from({ length: SLICES }, (_, index) => index)
  return sql`(select ${integerOf(sql`b.value`)} as bucket, reports.*
    from json_each(${JSON.stringify(numbers)}) b cross join json_each(${JSON.stringify(slices)}) s
    cross join reports on reports.id in (select r.id from reports r
      where r.id >= ${firstKeyOf(start)} and r.id < ${firstKeyOf(end)} order by r.id limit ${literal(most)})
    where ${view.where})`
}

/** Whether the view has no environment and no row policy; whether it has a filter is not known where it is of hours. */
const isWhole = ({ environment, ofHours, restricted }: TrendSpan['view']): boolean =>
  environment === null && ofHours && !restricted
