/** What the page of a cause reads, in one round trip, and what follows from it. */

import { causePageRead, type CausePage } from '../../insight/causes/cause-page.ts'
import { traitsRead, type Traits } from '../../insight/causes/traits.ts'
import {
  incidentOfCause,
  nextInLine,
  type Incident,
  type NextNode,
} from '../../insight/incident/incident.ts'
import { mapRead } from '../../insight/nodes/node-map.ts'
import { inOneStatement, namedReads, readAll } from '../../store/batch-read.ts'
import type { PageScope } from '../page-scope.ts'
import type { Span } from '../span.ts'
import { everywhereRead, resolveView, type Visit } from '../visit.ts'

export interface FoundCause {
  readonly span: Span
  readonly scope: PageScope
  readonly cause: CausePage
  /** Null where no node fails by it now. */
  readonly incident: Incident | null
  /** The nodes that run its code next. */
  readonly next: readonly NextNode[]
  readonly traits: Traits
}

/** Nodes of the pages before this one. */
export const firstOf = ({ url }: Visit): number =>
  Math.max(0, Math.floor(Number(url.searchParams.get('cursor')) || 0))

/** @param limit the most nodes @param from nodes that are left out */
export async function findCause(visit: Visit, limit: number, from: number): Promise<FoundCause> {
  const { view, span } = await resolveView(visit)
  const name = visit.names['cause'] ?? ''
  const { found, fleet, map } = await readAll(visit.database, {
    found: causePageRead(view, name, { limit, from }),
    fleet: inOneStatement(
      namedReads({ everywhere: everywhereRead(view), traitsOf: traitsRead(view, name) }),
    ),
    map: mapRead(view, { by: 'group', drawn: false }),
  })
  const { cause, breakages } = found
  const incident = incidentOfCause(view, cause, { breakages, map })
  return {
    span,
    scope: { span, environments: fleet.everywhere.environments },
    cause,
    incident,
    next: incident === null ? [] : nextInLine(view, incident, map),
    traits: fleet.traitsOf(map),
  }
}
