/**
 * Groups of what failed, drifted or would change in a span: from the counts of closed hours where the reader may use them,
 * and from the reports of the other hours.
 */

import { sql, type SQL } from 'drizzle-orm'
import { firstKey, hourFrom, hourNumber, hourOfKey, literal } from '../sql/encoding.ts'
import { hits, idsOfRanges, notableReports, type Grouping } from '../store/hits.ts'
import {
  ANY_LABEL,
  countedHours,
  ENTRY,
  gapsBetween,
  hourGroupingOf,
} from '../store/hour-groups.ts'
import { INACTIVE, isCounted, keyFrom } from '../outcomes/fragments.ts'
import type { View } from './view.ts'

/**
 * Tables of a WITH clause. `spanned` has rows of label, hour, reports, events, last, n, resource, nodes and resources, several
 * for a label: add reports and events, take n and resource beside the greatest `last`, and join nodes and resources, which are
 * texts for `activeNodes` and `distinctIds`. The label ANY_LABEL counts each report and node once. `hit` has the hits of hours
 * that are not counted, and `minus` those of inactive nodes in the others.
 *
 * @param options `wanted` a condition on `hit`; the counts of hours can't answer it. `days` of drift, the
 *   hour before which whole days are rows of their first hour
 */
export function spannedGroups(
  view: View,
  grouping: Grouping,
  { wanted = null, days = 0 }: { readonly wanted?: SQL | null; readonly days?: number } = {},
): SQL {
  const ofHours = view.ofEnvironments && wanted === null ? hourGroupingOf(grouping) : null
  const [since, until] = [keyFrom(view.since), keyFrom(view.until)]
  const first = hourFrom(view.since)
  const behind = Math.max(first, hourNumber(view.until))
  const counted =
    ofHours === null
      ? sql`marked as (select 0 as hour, 0 as behind where 0)`
      : countedHours(ofHours, { first, behind, days })
  const inGap = sql`reports.id >= gap.first and reports.id < gap.behind and ${isCounted(view)}`
  const any = literal(ANY_LABEL)
  const hour = hourOfKey(sql`report`)
  return sql`${counted},
    gap as materialized (${gapsBetween('marked', since, until)}),
    hit as materialized (select * from (${hits(grouping, notableReports(inGap, sql`gap cross join`))}) hit${wanted === null ? sql`` : sql` where ${wanted}`}),
    any_hit as (select * from hit union all select ${any}, report, node, environment, 0, null, null from hit),
    minus as materialized (${ofHours === null ? sql`select 0 as label, 0 as report, 0 as node, 0 as events where 0` : inactiveHits(view, grouping)}),
    spanned as materialized (
      select label, ${hour} as hour, count(distinct report) as reports, sum(events) as events, max(report) as last, n, resource,
        group_concat(distinct node) as nodes, group_concat(distinct resource) as resources from any_hit group by 1, 2
      ${
        ofHours === null
          ? sql``
          : sql`union all ${ofCountedHours(view)}
      union all select label, ${hour}, -count(distinct report), -sum(events), null, null, null, null, null
        from (select label, report, events from minus union all select ${any}, report, 0 from minus) group by 1, 2`
      })`
}

const of = (place: number): SQL => sql.raw(`g.value ->> ${place}`)

/** The groups that are stored for the counted hours. */
const ofCountedHours = ({ where }: View): SQL =>
  sql`select ${of(ENTRY.label)}, reports.hour, ${of(ENTRY.reports)}, ${of(ENTRY.events)}, ${of(ENTRY.last)}, ${of(ENTRY.n)},
      ${of(ENTRY.resource)}, ${of(ENTRY.nodes)}, ${of(ENTRY.resources)}
    from (select h.hour, h.environment, 0 as type, h.groups from marked
      cross join hour_groups h on h.kind = marked.kind and h.hour = marked.hour) as reports
    cross join json_each(reports.groups) g where ${where}`

/** Hits of inactive nodes in the counted hours, which count them. */
const inactiveHits = ({ where, since, until }: View, grouping: Grouping): SQL =>
  sql`select label, report, node, events from (${hits(grouping, {
    from: sql`${INACTIVE} i cross join reports indexed by reports_node on reports.node = i.id`,
    where: sql`reports.id >= ${literal(firstKey(Math.ceil(since)))} and reports.id < ${literal(firstKey(Math.ceil(until)))} and ${where}`,
  })}) where not exists (select 1 from gap where report >= gap.first and report < gap.behind)`

/** A column of the last report of a group `added`. Counted hours may name one of an inactive node; `another` finds the one before. */
export const lastActive = (another: SQL, column: 'last' | 'n' | 'resource'): SQL =>
  sql`iif(added.last in (select report from minus), (${another}), ${sql.raw(`added.${column}`)})`

/** The active nodes of a group: `nodes` and `inactive` are texts of ids, the first perhaps with ranges. */
export function activeNodes(group: {
  readonly nodes: string
  readonly inactive: string
}): ReadonlySet<number> {
  const inactive = distinctIds(group.inactive)
  return new Set([...distinctIds(group.nodes)].filter((node) => !inactive.has(node)))
}

/** The ids in a text that joins several lists of them. */
export const distinctIds = (text: string): ReadonlySet<number> =>
  new Set(text === '' ? [] : idsOfRanges(text))

/** Groups in the order of their active nodes, then reports, then time. */
export const mostNodesFirst = <
  Group extends Parameters<typeof activeNodes>[0] & {
    readonly reports: number
    readonly last: number
    readonly reason: string
  },
>(
  groups: readonly Group[],
): readonly Group[] =>
  groups
    .map((group) => ({ group, nodes: activeNodes(group).size }))
    .toSorted(
      (one, other) =>
        other.nodes - one.nodes ||
        other.group.reports - one.group.reports ||
        other.group.last - one.group.last ||
        (one.group.reason < other.group.reason ? -1 : 1),
    )
    .map(({ group }) => group)
