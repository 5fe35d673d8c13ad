/** The slowest runs of a span, among its newest: no index is sorted by how long runs took. */

import { sql } from 'drizzle-orm'
import type { Timestamp } from '../../lib/time.ts'
import { decodeState, type RunState } from '../../schema/states.ts'
import {
  integer,
  keyTimestamp,
  nullable,
  selectList,
  text,
  timestamp,
  typed,
  type RowOf,
} from '../../sql/columns.ts'
import { literal, lowerHexOf } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { stringOf } from '../fragments.ts'
import type { View } from '../view.ts'

/** Most runs compared, the newest first, from the index of end times. */
export const MOST_COMPARED = 100_000
const MOST_SLOWEST = 15

const RUN = {
  compared: integer(sql`compared`),
  back_to: timestamp(sql`back_to`),
  hash: text(lowerHexOf(sql`r.hash`)),
  certname: text(sql`(select n.certname from nodes n where n.id = r.node)`),
  environment: nullable(text(stringOf(sql`r.environment`))),
  state: integer(sql`r.state`),
  time: keyTimestamp(sql`r.id`),
  ms: integer(sql`slowest.ms`),
}
type SlowRunRow = RowOf<typeof RUN>

export interface SlowestRuns {
  /** Number of runs compared, and the end of the oldest of them; null without any. */
  readonly compared: number
  readonly back_to: Timestamp | null
  readonly items: readonly (RunState & {
    readonly report: string
    readonly certname: string
    readonly environment: string | null
    readonly time: Timestamp
    readonly seconds: number
  })[]
}

/** Runs of the span by their end, those that took longest first. */
export const slowestRuns = ({ since, until, where }: View): TypedStatement<SlowRunRow> =>
  typed(
    RUN,
    render(sql`with newest as materialized (select id, ms, end_time from (
        select reports.id, reports.end_time - reports.start_time as ms, reports.end_time, reports.node, reports.environment, reports.type
        from reports indexed by reports_end
        where reports.end_time >= ${literal(Math.ceil(since))} and reports.end_time < ${literal(Math.ceil(until))} and ${where}
        order by reports.end_time desc limit ${literal(MOST_COMPARED)})),
      slowest as materialized (select id, ms, count(*) over () as compared, min(end_time) over () as back_to from newest
        order by ms desc, id desc limit ${literal(MOST_SLOWEST)})
      select ${selectList(RUN)} from slowest cross join reports r on r.id = slowest.id order by slowest.ms desc, slowest.id desc`),
  )

export const slowestRunsOf = (rows: readonly SlowRunRow[]): SlowestRuns => ({
  compared: rows[0]?.compared ?? 0,
  back_to: rows[0]?.back_to ?? null,
  items: rows.map(({ hash, certname, environment, state, time, ms }) => ({
    ...decodeState(state),
    report: hash,
    certname,
    environment,
    time,
    seconds: ms / 1000,
  })),
})
