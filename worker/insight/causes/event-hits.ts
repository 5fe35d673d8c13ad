/** Selects the events of a kind within a view, labelled by their group. */

import { sql, type SQL } from 'drizzle-orm'
import { codesOf, isNotable, type StateName } from '../../schema/states.ts'
import { integer, nullable, text } from '../../sql/columns.ts'
import { inSpan, isCounted, stringId, stringOf } from '../fragments.ts'
import type { View } from '../view.ts'

export const CAUSE_KINDS = ['failure', 'corrective', 'noop'] as const
export const CAUSE_FACETS = ['reason', 'resource', 'class', 'location'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]
export type CauseFacet = (typeof CAUSE_FACETS)[number]

/** The label of an event `e` with its resource `s`, and of a failure that only a log line reports, `rc`. */
const LABELS: Readonly<Record<Exclude<CauseFacet, 'reason'>, { event: SQL; logged: SQL }>> = {
  resource: { event: sql`s.type || '[' || s.title || ']'`, logged: sql`'no resource'` },
  class: { event: sql`coalesce(s.class, 'no class')`, logged: sql`'no class'` },
  location: {
    event: sql`coalesce(${stringOf(sql`e.file`)} || coalesce(':' || e.line, ''), 'no file')`,
    logged: sql`coalesce(${stringOf(sql`rc.file`)} || coalesce(':' || rc.line, ''), 'no file')`,
  },
}

/** The states of reports that can have such events, and the condition on an event `e`. */
const KINDS: Readonly<Record<CauseKind, { states: readonly StateName[]; event: SQL }>> = {
  failure: {
    states: ['failed'],
    event: sql`e.status = ${stringId('eventStatus', 'failure')}`,
  },
  corrective: {
    states: ['failed', 'corrective'],
    event: sql`e.status = ${stringId('eventStatus', 'success')} and e.corrective_change = 1`,
  },
  noop: {
    states: ['failed', 'corrective', 'changed'],
    event: sql`e.status = ${stringId('eventStatus', 'noop')}`,
  },
}

/**
 * Rows of label, report, node, n, resource: an event each. A failure that only a log line reports has
 * neither n nor resource.
 */
export function eventHits(view: View, kind: CauseKind, facet: keyof typeof LABELS): SQL {
  const { states, event } = KINDS[kind]
  const label = LABELS[facet]
  const events = sql`select ${label.event} as label, reports.id as report, reports.node, e.n, e.resource
    from reports indexed by reports_notable cross join events e on e.report = reports.id and ${event} cross join resources s on s.id = e.resource
    where ${sql.raw(`reports.${isNotable('state')}`)} and reports.state in (${sql.raw(codesOf(states).join(','))})
    and ${inSpan(sql`reports.id`, view)} and ${isCounted(view)}`
  if (kind !== 'failure') return events
  return sql`${events} union all select ${label.logged}, reports.id, reports.node, null, null
    from causes c cross join report_causes rc on rc.cause = c.id and rc.event is null and ${inSpan(sql`rc.report`, view)}
    cross join reports on reports.id = rc.report where ${isCounted(view)}`
}

/** The sample of a group `g` of hits: its newest event `e` with the resource `s`. */
export const EVENT_SAMPLE = {
  event: nullable(integer(sql`g.n`)),
  resource: nullable(text(sql`s.type || '[' || s.title || ']'`)),
  containing_class: nullable(text(sql`s.class`)),
  file: nullable(text(stringOf(sql`e.file`))),
  line: nullable(integer(sql`e.line`)),
  message: nullable(text(sql`e.message`)),
}
