/** What noop runs would change: the pending changes of each node's latest report, by resource, with how many nodes each would touch. */

import { sql } from 'drizzle-orm'
import { codesOf } from '../../schema/states.ts'
import { integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { stringId, stringOf } from '../../outcomes/fragments.ts'
import { nodesOf } from '../fragments.ts'
import type { View } from '../view.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

/** Nodes, resources and what would become of them; a value is null where nodes differ. */
const PENDING = {
  resource_type: text(sql`p.type`),
  resource_title: text(sql`p.title`),
  containing_class: nullable(text(sql`p.class`)),
  nodes: integer(sql`p.nodes`),
  /** One of the nodes, and its report. */
  certname: text(sql`p.certname`),
  property: nullable(text(stringOf(sql`p.property`))),
  /** JSON; null where the nodes' values differ. */
  old_value: nullable(text(sql`p.old_value`)),
  new_value: nullable(text(sql`p.new_value`)),
  file: nullable(text(stringOf(sql`p.file`))),
  line: nullable(integer(sql`p.line`)),
}
export type PendingChange = RowOf<typeof PENDING>

export interface PendingChanges {
  /** Nodes with a pending change. */
  readonly nodes: number
  /** Resources that would change. */
  readonly resources: number
  /** Those that would touch most nodes first. */
  readonly items: readonly PendingChange[]
}

/** Runs that can hold an event of noop: whole noop runs, and others with resources in noop. */
const CODES = codesOf(['failed', 'corrective', 'changed']).join(',')

/** The pending changes of the latest report of each node in scope, whatever the span. */
export function pendingChangesRead(view: View, limit: number): BatchRead<PendingChanges> {
  const events = sql`from ${nodesOf(view)} cross join events e on e.report = reports.latest cross join resources s on s.id = e.resource
    where ${view.where} and reports.state in (${sql.raw(CODES)}) and e.status = ${stringId('eventStatus', 'noop')}`
  const same = (column: string) =>
    sql.raw(`case when min(e.${column}) = max(e.${column}) then min(e.${column}) end`)
  return batchRead(
    [
      select(
        { ...PENDING, resources: integer(sql`p.resources`) },
        sql`from (select s.type, s.title, min(s.class) as class, count(distinct reports.node) as nodes, min(reports.certname) as certname,
            min(e.property) as property, ${same('old_value')} as old_value, ${same('new_value')} as new_value,
            ${same('file')} as file, ${same('line')} as line, count(*) over () as resources
          ${events} group by s.type, s.title order by nodes desc, s.type, s.title limit ${literal(limit)}) p`,
      ),
      select(
        { nodes: integer(sql`c.nodes`) },
        sql`from (select count(distinct reports.node) as nodes ${events}) c`,
      ),
    ],
    ([rows, [count]]) => ({
      nodes: count?.nodes ?? 0,
      resources: rows[0]?.resources ?? 0,
      items: rows.map(({ resources: _, ...pending }) => pending),
    }),
  )
}

export const PENDING_PANEL = defineListPanel({
  path: '/pending',
  summary: 'What noop would change: resources by how many nodes their change would touch.',
  takes: { limit: limitParameter(200, 1000) },
  read: (view, { limit }) => pendingChangesRead(view, limit),
  columns: Object.keys(PENDING) as (keyof typeof PENDING)[],
})
