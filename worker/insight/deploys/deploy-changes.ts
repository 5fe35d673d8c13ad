/** What a deploy changed: the resources that changed in its first runs, and not in the runs before. */

import { sql, type SQL } from 'drizzle-orm'
import { integer, nullable, select, text, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { priorRun, stringId, stringOf } from '../../outcomes/fragments.ts'
import type { View } from '../view.ts'
import {
  firstKeyOfDeploy,
  isVersion,
  type CodeOfEnvironment,
} from '../../outcomes/code-versions.ts'

/** Reports looked through for first runs with the version, and first runs whose events are read. */
const REPORTS_SEARCHED = 5000
const MOST_FIRST_RUNS = 300
const MOST_CHANGES = 20

const CHANGE = {
  resource: text(sql`s.type || '[' || s.title || ']'`),
  property: nullable(text(stringOf(sql`g.property`))),
  nodes: integer(sql`g.nodes`),
  failed: integer(sql`g.failed`),
}

/** The resources that changed in the first runs with the version, and not in the same node's run before. */
export const changesOf = (
  view: View,
  deploy: SQL,
  version: CodeOfEnvironment,
): TypedStatement<RowOf<typeof CHANGE>> =>
  select(
    CHANGE,
    sql`from (select e.resource, e.property, count(distinct f.node) as nodes, count(distinct iif(e.status = ${stringId('eventStatus', 'failure')}, f.node, null)) as failed
      from (select x.node, x.id, ${priorRun(view, sql`x.node`, sql`x.id`)} as prior
        from (select node, min(id) as id from (select * from (select reports.id, reports.node, ${isVersion(sql`reports`, version)} as has_it
            from ${deploy} cross join reports on reports.id >= ${firstKeyOfDeploy} and reports.environment = d.environment
            where reports.type = 0 and ${view.where} order by reports.id limit ${literal(REPORTS_SEARCHED)})
          where has_it limit ${literal(MOST_FIRST_RUNS)}) group by node) x) f
      cross join events e on e.report = f.id
      where e.status in (${stringId('eventStatus', 'success')}, ${stringId('eventStatus', 'failure')})
        and f.prior is not null and not exists (select 1 from events x where x.report = f.prior and x.resource = e.resource)
      group by 1, 2 order by nodes desc, e.resource limit ${literal(MOST_CHANGES)}) g
    cross join resources s on s.id = g.resource order by g.nodes desc, s.type, s.title`,
  )
