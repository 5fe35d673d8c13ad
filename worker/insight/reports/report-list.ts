/** Lists reports, newest first. */

import { sql } from 'drizzle-orm'
import { literal } from '../../sql/encoding.ts'
import {
  codesFound,
  isNotable,
  STATE_CODES,
  STATE_NAMES,
  type StateFilter,
} from '../../schema/states.ts'
import { select } from '../../sql/columns.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import { inSpan, nodeNamed } from '../../outcomes/fragments.ts'
import type { ListPage } from '../list-pages.ts'
import type { View } from '../view.ts'
import { REPORT, reportRowOf, type ReportRow, type StoredReport } from './report-row.ts'
import { asChoices } from '../../schema/readers.ts'
import {
  CERTNAME_PARAMETER,
  CURSOR_PARAMETER,
  FACT_ERRORS_PARAMETER,
  limitParameter,
  defineListPanel,
  NOOP_PARAMETER,
} from '../panel.ts'

export interface ReportListOptions extends StateFilter {
  readonly certname: string | null
  readonly cursor: string | null
  readonly limit: number
}

/** Newest first. Gives no total, because counting would read all reports of the span. */
export type ReportList = ListPage<ReportRow>

/** @throws QueryError for a cursor of another list */
export function reportListRead(view: View, options: ReportListOptions): BatchRead<ReportList> {
  const { cursor, limit } = options
  const below = cursor === null ? null : positionOf(cursor, [0] as const)[0]
  // Reads one more than the page holds, to know whether there is a next page.
  return batchRead([reportPage(view, options, below, limit + 1)], ([rows]) => ({
    items: rows.slice(0, limit).map(reportRowOf),
    next: rows.length > limit ? cursorOf([rows[limit - 1]!.key]) : null,
  }))
}

/** States that are too frequent to be in the index of notable reports. */
const ORDINARY = STATE_CODES.filter((code) => [0, 1, 4].includes(code))

/** @param below key of the last report of the page before */
function reportPage(
  view: View,
  { certname, ...filter }: ReportListOptions,
  below: number | null,
  size: number,
): TypedStatement<StoredReport> {
  const codes = codesFound(filter)
  const notable = codes !== null && !codes.some((code) => ORDINARY.includes(code))
  const conditions = [
    inSpan(sql`reports.id`, view),
    view.where,
    ...(codes ? [sql`reports.state in (${sql.raw(codes.join(','))})`] : []),
    ...(notable ? [sql.raw(`reports.${isNotable('state')}`)] : []),
    ...(certname === null ? [] : [sql`reports.node = ${nodeNamed(certname)}`]),
    ...(below === null ? [] : [sql`reports.id < ${literal(below)}`]),
  ]
  const index = notable && certname === null ? sql` indexed by reports_notable` : sql``
  return select(
    REPORT,
    sql`from reports${index} where ${sql.join(conditions, sql` and `)} order by reports.id desc limit ${literal(size)}`,
  )
}

/** The last visible runs of a node, newest first. */
export const lastReports = (
  { rowPolicy }: View,
  certname: string,
  size: number,
): TypedStatement<StoredReport> =>
  select(
    REPORT,
    sql`from reports indexed by reports_node
      where reports.node = ${nodeNamed(certname)} and ${rowPolicy} order by reports.id desc limit ${literal(size)}`,
  )

export const REPORTS_PANEL = defineListPanel({
  path: '/reports',
  summary: 'Reports, newest first.',
  takes: {
    state: asChoices('Only these states, separated by commas.', STATE_NAMES),
    noop: NOOP_PARAMETER,
    fact_errors: FACT_ERRORS_PARAMETER,
    certname: CERTNAME_PARAMETER,
    cursor: CURSOR_PARAMETER,
    limit: limitParameter(50, 500),
  },
  read: (view, { state, ...others }) => reportListRead(view, { ...others, states: state }),
  columns: [
    'hash',
    'certname',
    'environment',
    'status',
    'state',
    'noop',
    'derived',
    'fact_errors',
    'producer_timestamp',
    'start_time',
    'end_time',
    'seconds',
    'agent_version',
    'code_version',
    'failures',
    'successes',
    'noops',
    'skips',
  ],
})
