/** Finds what failed, drifted or would change in reports: a row for each of its events, or causes, with its label. */

import { sql, type SQL } from 'drizzle-orm'
import { codesOf, isNotable, type StateName } from '../schema/states.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'

export const CAUSE_KINDS = ['failure', 'corrective', 'noop'] as const
export const CAUSE_FACETS = ['reason', 'resource', 'class', 'location'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]
export type CauseFacet = (typeof CAUSE_FACETS)[number]

/** What is grouped, and what by. Only failures have reasons. */
export interface Grouping {
  readonly kind: CauseKind
  readonly by: CauseFacet
}

const stringOf = (column: string): string =>
  `(select w.value from strings w where w.id = ${column})`

/** The label of an event `e` with its resource `s`, and of a failure that only a log line reports, `rc`. */
const LABELS: Readonly<Record<Exclude<CauseFacet, 'reason'>, { event: string; logged: string }>> = {
  resource: { event: `s.type || '[' || s.title || ']'`, logged: `'no resource'` },
  class: { event: `coalesce(s.class, 'no class')`, logged: `'no class'` },
  location: {
    event: `coalesce(${stringOf('e.file')} || coalesce(':' || e.line, ''), 'no file')`,
    logged: `coalesce(${stringOf('rc.file')} || coalesce(':' || rc.line, ''), 'no file')`,
  },
}

const statusIs = (value: string): string =>
  `e.status = (select id from strings where kind = ${STRING_KINDS.eventStatus} and value = '${value}')`

/** The states of reports that can have such events, and the condition on an event `e`. */
const KINDS: Readonly<Record<CauseKind, { states: readonly StateName[]; event: string }>> = {
  failure: { states: ['failed'], event: statusIs('failure') },
  corrective: {
    states: ['failed', 'corrective'],
    event: `${statusIs('success')} and e.corrective_change = 1`,
  },
  noop: { states: ['failed', 'corrective', 'changed'], event: statusIs('noop') },
}

/** Where hits are looked for: `reports`, perhaps joined to another table, and the condition on them. */
export interface HitSource {
  readonly from: SQL
  readonly where: SQL
}

/** Reports with keys in a range, from the index of those worth finding. @param before a table and a comma's worth of SQL, or nothing */
export const notableReports = (where: SQL, before = sql``): HitSource => ({
  from: sql`${before} reports indexed by reports_notable`,
  where: sql`${sql.raw(`reports.${isNotable('state')}`)} and ${where}`,
})

/**
 * Rows of label, report, node, environment, events, n and resource. By reason a row for each cause of a report, labelled by
 * the id of the cause; else one for each event, whose `n` and resource are null where only a log line reports the failure.
 */
export function hits({ kind, by }: Grouping, { from, where }: HitSource): SQL {
  const { states, event } = KINDS[kind]
  const inState = sql.raw(`reports.state in (${codesOf(states).join(',')})`)
  const causes = (label: string, columns: string, condition: string): SQL =>
    sql`select ${sql.raw(label)} as label, reports.id as report, reports.node, reports.environment, ${sql.raw(columns)}
      from ${from} cross join report_causes rc indexed by report_causes_report on rc.report = reports.id ${sql.raw(condition)}
      where ${where} and ${inState}`
  if (by === 'reason') return causes('rc.cause', 'rc.events, rc.event as n, rc.resource', '')
  const label = LABELS[by]
  const events = sql`select ${sql.raw(label.event)} as label, reports.id as report, reports.node, reports.environment, 1 as events, e.n, e.resource
    from ${from} cross join events e on e.report = reports.id and ${sql.raw(event)} cross join resources s on s.id = e.resource
    where ${where} and ${inState}`
  if (kind !== 'failure') return events
  return sql`${events} union all ${causes(label.logged, '0 as events, null as n, null as resource', 'and rc.event is null')}`
}

/** Ids as text: single ones and ranges, as in `3,5-9`. */
export function idsOfRanges(text: string): number[] {
  const ids: number[] = []
  for (const range of text.split(',')) {
    const [first, last = first] = range.split('-').map(Number)
    for (let id = first!; id <= last!; id++) ids.push(id)
  }
  return ids
}

/** SQL for how many ids such a text has. */
export const nodesInRanges = (text: string): string =>
  `(select sum(1 + iif(instr(one.value, '-'), substr(one.value, instr(one.value, '-') + 1) - cast(one.value as integer), 0))
  from json_each('["' || replace(${text}, ',', '","') || '"]') one)`

/**
 * The nodes of each group, written as `idsOfRanges` reads them.
 *
 * @param from SQL from FROM on, for rows of a node and the columns of `by`; a node may come again
 */
export const nodeRanges = (by: string, from: SQL): SQL => {
  const columns = sql.raw(by)
  return sql`select ${columns}, group_concat(span, ',' order by least) as nodes from (
    select ${columns}, min(node) as least, iif(min(node) = max(node), min(node) || '', min(node) || '-' || max(node)) as span from (
      select ${columns}, node, node - row_number() over (partition by ${columns} order by node) as island
      from (select distinct ${columns}, node ${from}))
    group by ${columns}, island) group by ${columns}`
}
