/** Only the newest event of each resource property within a window of time. */

import { sql, type SQL } from 'drizzle-orm'
import type { Distinct } from '../plan/plan.ts'
import { events, nodes, reports, resources } from '../schema/tables.ts'

/**
 * The rows that replace the events: for each node, resource, property and event name the newest within
 * the window, or all equally new ones. Filters apply to these rows; events that the reader may not see
 * are excluded before.
 *
 * @param visible the condition for those that the reader may see
 */
export function distinctEvents({ start, end, latest }: Distinct, visible: SQL): SQL {
  const state =
    latest === null
      ? sql``
      : sql` and ${events.report} ${latest ? sql`in` : sql`not in`} (select ${nodes.latest} from ${nodes} where ${nodes.latest} is not null)`
  return sql`(select * from (
    select ${events}.*, rank() over (
      partition by ${reports.node}, ${resources.type}, ${resources.title}, ${events.property}, ${events.name}
      order by ${events.timestamp} desc
    ) as newness
    from ${events} join ${reports} on ${reports.id} = ${events.report} join ${resources} on ${resources.id} = ${events.resource}
    where ${events.timestamp} between ${start} and ${end}${state} and ${visible}
  ) where newness = 1)`
}
