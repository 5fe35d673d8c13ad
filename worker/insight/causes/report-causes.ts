/** Reads the causes of one report. */

import { sql, type SQL } from 'drizzle-orm'
import { select, text, type RowOf } from '../../sql/columns.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import type { View } from '../view.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'

/** One cause of one report. */
export interface ReportCause {
  readonly cause: string
  readonly reason: string
  /** Whether the cause comes from a log line and not from a failed event. */
  readonly derived: boolean
  /** The message verbatim. */
  readonly sample: string
  /** Index of its first event (`#e3`) or of the log line (`#L17`), from 0. */
  readonly event: number | null
  readonly log: number | null
  readonly resource: string | null
  readonly file: string | null
  readonly line: number | null
}

const ROW = { cause: text(sql`c.name`), reason: text(sql`c.reason`), ...SAMPLE }
type Row = RowOf<typeof ROW>

/** The causes of the report with that key. */
export const reportCauses = (key: SQL): TypedStatement<Row> =>
  select(
    ROW,
    sql`from (select ${key} as id) k cross join report_causes rc indexed by report_causes_report on rc.report = k.id
      cross join causes c on c.id = rc.cause cross join reports r on r.id = rc.report ${SAMPLE_JOINS} order by rc.event is null, rc.event, c.name`,
  )

export function reportCauseOf(view: View, row: Row): ReportCause {
  const { derived, sample } = sampleOf(row)
  const reason = labelOf(view, row, { derived, sample })
  const { cause, event, log, resource, file, line } = row
  return { cause, reason, derived, sample: sample ?? reason, event, log, resource, file, line }
}
