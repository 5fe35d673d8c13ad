/** Nodes counted by state, silence and environment, from the rows of nodes alone. */

import { sql } from 'drizzle-orm'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'
import { keyFrom, nodesOf, wordOf, type View } from './fragments.ts'

/** [state or null, environment or null, silent, nodes, greatest key] */
export const fleetStatement = (view: View): Statement =>
  render(sql`select g.state as c0, ${wordOf(sql`g.environment`)} as c1, g.silent as c2, g.nodes as c3, g.newest as c4
    from (select reports.state as state, reports.environment as environment,
        reports.latest < ${silentKey(view)} as silent, count(*) as nodes, max(reports.latest) as newest
      from ${nodesOf(view)} where ${view.where} group by 1, 2, 3) g`)

/** Nodes whose latest report is below this key are silent. */
export const silentKey = ({ now, silentAfter }: View) => keyFrom(now - silentAfter)
