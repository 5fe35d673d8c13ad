/** Quantiles of numbers: of a list, and in SQL. */

import { sql, type SQL } from 'drizzle-orm'
import { literal } from '../sql/encoding.ts'

/** The quantile at that share, by the nearest rank; null without values. */
export function quantileOf(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export const median = (values: readonly number[]): number | null => quantileOf(values, 0.5)

/** The quantile at that share, interpolated between the nearest numbers; null without values. */
export function interpolatedQuantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}

/** SQL for the quantile at that share of the column `ms` of a group's rows, which have their `place` among `count` of them. */
export const rankedQuantile = (share: number): SQL =>
  sql`min(iif(place >= ${literal(share)} * count, ms, null))`
