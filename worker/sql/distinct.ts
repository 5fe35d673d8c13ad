/** Only the newest event of each resource property within a window of time. */

import { sql, type SQL } from 'drizzle-orm'
import type { Distinct } from '../plan/plan.ts'
import { ENTITIES } from '../schema/entities.ts'
import { events, nodes, reports, resources } from '../schema/tables.ts'
import { predicate, type Matches } from './predicate.ts'

const EVENTS = ENTITIES.get('events')!

/**
 * The rows that replace the events: for each node, resource, property and event name the newest within
 * the window, or all equally new ones. Filters apply to these rows; events that the reader may not see
 * are excluded before.
 */
export function distinctEvents({ start, end, latest, among }: Distinct, matches: Matches): SQL {
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
    where ${events.timestamp} between ${start} and ${end}${state} and ${predicate(EVENTS, among, matches)}
  ) where newness = 1)`
}
