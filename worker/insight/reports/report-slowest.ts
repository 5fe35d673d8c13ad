/** Reads the slowest resources of one report. */

import { sql, type SQL } from 'drizzle-orm'
import { json } from '../../sql/columns.ts'
import { integerOf } from '../../sql/encoding.ts'

export interface SlowResourceRow {
  readonly resource_type: string
  readonly resource_title: string
  readonly seconds: number
}

type StoredResource = readonly [type: string, title: string, ms: number]

/** The column of a row `reports`; empty where its sender does not report how long resources took. */
export const SLOWEST_COLUMN = json<readonly StoredResource[], SQL>(
  sql`(select json_group_array(json_array(s.type, s.title, slow.value)) from json_each(reports.slowest) slow
    cross join resources s on s.id = ${integerOf(sql`slow.key`)})`,
)

/** Slowest first. */
export const slowResourcesOf = (slowest: readonly StoredResource[]): readonly SlowResourceRow[] =>
  slowest
    .toSorted(([, , one], [, , other]) => other - one)
    .map(([resource_type, resource_title, ms]) => ({
      resource_type,
      resource_title,
      seconds: ms / 1000,
    }))
