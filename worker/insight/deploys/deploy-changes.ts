/** What a deploy changed: the resources that changed in its first runs, and not in the runs before. */

import { sql, type SQL } from 'drizzle-orm'
import { integer, nullable, selectList, text, typed, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { priorRun, stringId, stringOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'
import {
  firstKeyOfDeploy,
  isVersion,
  type CodeOfEnvironment,
} from '../../outcomes/code-versions.ts'

/** Reports looked through for first runs with the version, and nodes whose first runs are read. */
const REPORTS_SEARCHED = 5000
const MOST_FIRST_RUNS = 1000
const MOST_CHANGES = 20

const CHANGE = {
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  property: nullable(text(stringOf(sql`g.property`))),
  nodes: nullable(integer(sql`g.nodes`)),
  failed: nullable(integer(sql`g.failed`)),
  among: integer(sql`(select count(*) from f)`),
}
type Row = RowOf<typeof CHANGE>

/**
 * The resources that changed in the first runs with the version, and not in the same node's run before. A row without a resource
 * where there are none.
 */
export const changesOf = (
  view: View,
  deploy: SQL,
  version: CodeOfEnvironment,
): TypedStatement<Row> =>
  typed(
    CHANGE,
    render(sql`with f as materialized (select x.node, x.id, ${priorRun(view, sql`x.node`, sql`x.id`)} as prior
        from (select node, min(id) as id from (select reports.id, reports.node, ${isVersion(sql`reports`, version)} as has_it
            from ${deploy} cross join reports on reports.id >= ${firstKeyOfDeploy} and reports.environment = d.environment
            where reports.type = 0 and ${view.where} order by reports.id limit ${literal(REPORTS_SEARCHED)})
          where has_it group by node order by 2 limit ${literal(MOST_FIRST_RUNS)}) x),
      g as (select e.resource, e.property, count(distinct f.node) as nodes, count(distinct iif(e.status = ${stringId('eventStatus', 'failure')}, f.node, null)) as failed
        from f cross join events e on e.report = f.id
        where e.status in (${stringId('eventStatus', 'success')}, ${stringId('eventStatus', 'failure')})
          and f.prior is not null and not exists (select 1 from events x where x.report = f.prior and x.resource = e.resource)
        group by 1, 2 order by nodes desc, e.resource limit ${literal(MOST_CHANGES)})
      select ${selectList(CHANGE)} from (select 1) left join g left join resources s on s.id = g.resource order by g.nodes desc, s.type, s.title`),
  )

/** @returns the changes, and of how many nodes' first runs they are */
export function changesIn(rows: readonly Row[]) {
  return {
    changes: rows.flatMap(({ resource, property, nodes, failed }) =>
      resource === null ? [] : [{ resource, property, nodes: nodes!, failed: failed! }],
    ),
    changes_among: rows[0]!.among,
  }
}
