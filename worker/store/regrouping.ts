/** Knows which reports have causes and states by today's rules (report/reason.ts), and which housekeeping has yet to reach. */

import { RULES_VERSION } from '../report/reason.ts'
import { flag, integer, nullable, selectText, typed, type RowOf } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'
import type { Database } from './database.ts'

const OF_RULES = `from regrouping where rules = ${RULES_VERSION}`

/** SQL condition that all of history is grouped by today's rules, or was never grouped by others. */
// By CASE, because OR reads both sides.
const ALL_GROUPED = `(case when exists (select 1 ${OF_RULES} and cursor is null) then 1
  else not exists (select 1 from causes where rules < ${RULES_VERSION}) end)`

/** SQL condition that the report with that key is grouped by today's rules. */
export const isGrouped = (key: string): string =>
  `(${ALL_GROUPED} or ${key} >= coalesce((select cursor ${OF_RULES}), ${Number.MAX_SAFE_INTEGER}))`

const PROGRESS = {
  grouped: flag(ALL_GROUPED),
  /** The least key that was regrouped; null before the first step, and after the last. */
  cursor: nullable(integer(`(select cursor ${OF_RULES})`)),
  /** Whether the end is noted, which is read faster than it is found. */
  noted: flag(`exists (select 1 ${OF_RULES} and cursor is null)`),
}
type RegroupProgress = RowOf<typeof PROGRESS>

const progressStatement = (): TypedStatement<RegroupProgress> =>
  typed(PROGRESS, { sql: `select ${selectText(PROGRESS)}`, params: [] })

/** @param cursor the least key that was regrouped; null for all */
export const writeProgress = (cursor: number | null): Statement => ({
  sql: `insert into regrouping (rules, cursor) values (${RULES_VERSION}, ${integerOf('?1')})
on conflict (rules) do update set cursor = excluded.cursor`,
  params: [cursor],
})

export async function readProgress(database: Database): Promise<RegroupProgress> {
  const [[progress]] = await database.batch([progressStatement()])
  return progress!
}
