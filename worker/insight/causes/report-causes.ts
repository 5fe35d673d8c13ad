/** The causes of one report. */

import { sql, type SQL } from 'drizzle-orm'
import { render } from '../../sql/render.ts'
import type { Statement } from '../../sql/statement.ts'
import { SAMPLE_JOINS, sampleColumns } from './cause-groups.ts'

/** [name, reason, events, and from c11 on what a cause quotes] of the report with that key. */
export const causesOfReport = (key: SQL): Statement =>
  render(sql`select c.name as c0, c.reason as c1, rc.events as c2, null as c3, null as c4, null as c5, null as c6,
    null as c7, null as c8, null as c9, null as c10, ${sampleColumns('0')}
    from (select ${key} as id) k cross join causes c cross join report_causes rc on rc.cause = c.id and rc.report = k.id
    join reports r on r.id = rc.report ${SAMPLE_JOINS} order by rc.event is null, rc.event, c.name`)
