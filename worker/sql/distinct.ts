/** Only the newest event of each resource property within a window of time. */

import { sql, type SQL } from 'drizzle-orm'
import type { Distinct } from '../plan/plan.ts'
import { events, nodes, reports, subjects } from '../schema/tables.ts'

/**
 * The rows that stand in for the events: of each node, resource, property and event name the newest
 * within the window, all of them where several are equally new. Filters are applied to what is left.
 */
export function distinctEvents({ start, end, latest }: Distinct): SQL {
  const state =
    latest === null
      ? sql``
      : sql` and ${events.report} ${latest ? sql`in` : sql`not in`} (select ${nodes.latest} from ${nodes} where ${nodes.latest} is not null)`
  return sql`(select * from (
    select ${events}.*, rank() over (
      partition by ${reports.node}, ${subjects.type}, ${subjects.title}, ${events.property}, ${events.name}
      order by ${events.timestamp} desc
    ) as newness
    from ${events} join ${reports} on ${reports.id} = ${events.report} join ${subjects} on ${subjects.id} = ${events.subject}
    where ${events.timestamp} between ${start} and ${end}${state}
  ) where newness = 1)`
}
