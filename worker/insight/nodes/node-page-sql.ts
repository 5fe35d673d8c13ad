/** One node, active or not. */

import { sql, type SQL } from 'drizzle-orm'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { goodOf, nodeColumns } from './node-row.ts'
import type { View } from '../fragments.ts'

/** The node `p` of that name, if it may be seen: under a row policy, if its latest report may be. */
const named = ({ restricted, rowPolicy }: View, certname: string): SQL => {
  const may = restricted
    ? sql` and exists (select 1 from reports where reports.id = n.latest and ${rowPolicy})`
    : sql``
  return sql`(select n.id as node, n.certname, n.latest, n.good, n.runs, n.deactivated, n.expired
    from nodes n where n.certname = ${certname}${may}) p`
}

/** The key of its latest report. */
export const latestOf = (view: View, certname: string): SQL =>
  sql`(select p.latest from ${named(view, certname)})`

/** The columns of nodes, and [deactivated, expired, hash of the last good report]. */
export const oneNode = (view: View, certname: string): Statement =>
  render(sql`select ${nodeColumns(view)}, p.deactivated as c17, p.expired as c18,
    (select lower(hex(g.hash)) from reports g where g.id = ${goodOf(view)}) as c19
    from ${named(view, certname)} left join reports r on r.id = p.latest`)

/** [key and hash of the first report behind the last good one, how many there are since]. */
export const failingSince = (view: View, certname: string): Statement =>
  render(sql`select f.first as c0, (select lower(hex(r.hash)) from reports r where r.id = f.first) as c1, f.runs as c2
    from (select min(reports.id) as first, count(*) as runs from (select p.node, ${goodOf(view)} as good from ${named(view, certname)}) g
      join reports indexed by reports_node on reports.node = g.node and reports.id > coalesce(g.good, -9007199254740991)
      where ${view.rowPolicy}) f`)
