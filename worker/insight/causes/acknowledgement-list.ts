/** Lists the acknowledgements of causes, those that hold first. */

import { sql } from 'drizzle-orm'
import { integer, selectList, text, typed } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { View } from '../view.ts'
import {
  acknowledgementColumns,
  acknowledgementOf,
  quiet,
  type Acknowledgement,
} from './acknowledgement.ts'
import { failingNow } from './failing-nodes.ts'
import { labelOf, SAMPLE, SAMPLE_JOINS, sampleOf } from './cause-sample.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

export interface ListedAcknowledgement extends Acknowledgement {
  readonly cause: string
  readonly reason: string
  /** Nodes of the scope whose latest run has the cause, whenever that was. */
  readonly failing: number
}

export interface AcknowledgementPage {
  /** Number of all acknowledgements that the reader may see, including those beyond the limit. */
  readonly total: number
  /** Those that hold first, then by their end, the nearest first. */
  readonly items: readonly ListedAcknowledgement[]
}

/** Acknowledgements of causes that a visible report has, whatever the span. Takes one statement. */
export function acknowledgementListRead(view: View, limit: number): BatchRead<AcknowledgementPage> {
  const statement = typed(
    COLUMNS,
    render(sql`with quiet as materialized ${quiet(view)},
    failing as materialized (select cause from (${failingNow(view)}) where cause in
      (select c.id from acknowledgements a cross join causes c on c.name = a.cause)),
    listed as materialized (select c.id, c.name, c.reason, c.id in quiet as quiet, a.until, (
      select rc.report from report_causes rc cross join reports on reports.id = rc.report
      where rc.cause = c.id and ${view.rowPolicy} order by rc.report desc limit 1) as last
      from acknowledgements a cross join causes c on c.name = a.cause),
    visible as materialized (select * from listed where last is not null)
    select ${selectList(COLUMNS)}
    from (select * from visible order by quiet desc, until, name limit ${literal(limit)}) c
    cross join report_causes rc on rc.cause = c.id and rc.report = c.last
    cross join reports r on r.id = rc.report ${SAMPLE_JOINS} order by c.quiet desc, c.until, c.name`),
  )
  return batchRead([statement], ([rows]) => ({
    total: rows[0]?.total ?? 0,
    items: rows.flatMap((row) => {
      const acknowledged = acknowledgementOf(view, row)
      const reason = labelOf(view, row, sampleOf(row))
      return acknowledged === null
        ? []
        : [{ cause: row.cause, reason, failing: row.failing, ...acknowledged }]
    }),
  }))
}

const COLUMNS = {
  cause: text(sql`c.name`),
  reason: text(sql`c.reason`),
  failing: integer(sql`(select count(*) from failing where failing.cause = c.id)`),
  total: integer(sql`(select count(*) from visible)`),
  ...acknowledgementColumns(sql`c.quiet`),
  ...SAMPLE,
}

export const ACKNOWLEDGEMENTS_PANEL = defineListPanel({
  path: '/acknowledgements',
  summary: 'Acknowledgements of causes: the note, by whom, until when, and whether each holds.',
  takes: { limit: limitParameter(50, 500) },
  read: (view, { limit }) => acknowledgementListRead(view, limit),
  columns: ['cause', 'reason', 'failing', 'note', 'by', 'at', 'until', 'nodes', 'holds', 'ended'],
})
