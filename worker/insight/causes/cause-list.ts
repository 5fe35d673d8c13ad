/** Lists what broke, drifted or would change: groups of events, each with its nodes and reports. */

import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { hourStart, keyMilliseconds } from '../../sql/encoding.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import { CAUSE_FACETS, CAUSE_KINDS, type CauseFacet, type CauseKind } from '../../store/hits.ts'
import { ANY_LABEL } from '../../store/hour-groups.ts'
import { activeNodes, distinctIds, mostNodesFirst } from '../hour-groups.ts'
import type { View } from '../view.ts'
import { acknowledgementOf, type Acknowledgement } from './acknowledgement.ts'
import { failingNodesOf, type FailingNodes } from './failing-nodes.ts'
import { groupsByFacet, groupsByReason, type GroupedCause } from './cause-groups.ts'
import { labelOf, sampleOf } from './cause-sample.ts'
import { isNewIn } from './first-seen.ts'
import { asChoice, asFlag } from '../../schema/readers.ts'
import { limitParameter, defineListPanel } from '../panel.ts'

export interface CauseListOptions {
  readonly kind: CauseKind
  /** Only failures have reasons; other kinds are grouped by resource instead. */
  readonly by: CauseFacet
  /** Only those first seen in the span. */
  readonly onlyNew: boolean
  /** Most causes listed: by the nodes that fail by them now, acknowledged ones behind, then the newest first; facets by all nodes of the span. */
  readonly limit: number
}

export interface CauseList {
  readonly kind: CauseKind
  readonly by: CauseFacet
  /** Number of all causes, including those beyond the limit. */
  readonly total: number
  /** Number of nodes that have any of them. */
  readonly nodes: number
  /** Number of nodes whose latest run failed, whenever that was; null for facets. */
  readonly failing: number | null
  /** Number of causes by which nodes fail now and that are not acknowledged, in the span or before it; null for facets. */
  readonly open: number | null
  /** Of those by reason that fail now: the acknowledged causes, and the nodes that fail by no other; null for facets. */
  readonly acknowledged: { readonly causes: number; readonly nodes: number } | null
  /** Number of reports in the span that have any. */
  readonly reports: number
  /**
   * The time from which on it is known what was seen first: runs before it were deleted before their causes were remembered
   * or, for readers who see some nodes only, were deleted. Null where it is known of all runs that were ever stored.
   */
  readonly first_seen_since: Timestamp | null
  /** Starts of the hours counted in each cause's `hours`: those of the span, or of its last hundred days. */
  readonly hours: readonly Timestamp[]
  readonly items: readonly CauseSummary[]
}

export interface CauseSummary {
  /** Names the cause in an address; null where it is a facet, whose `reason` is the resource, class or `file:line`. */
  readonly cause: string | null
  readonly reason: string
  /** Nodes whose latest run has the cause, whenever that was; null for facets. */
  readonly failing: number | null
  /** Nodes with the cause in the span. */
  readonly nodes: number
  readonly reports: number
  readonly events: number
  /**
   * The earliest run with the cause, or of drift by resource, among all that were ever stored, from `first_seen_since` of the
   * list on; null for other groups, and where the reader sees parts of environments and reports were deleted.
   */
  readonly first_seen: Timestamp | null
  /** The first failing run of the stretch through which nodes fail by it, nodes that are well again included; null where none fails now. */
  readonly since: Timestamp | null
  readonly acknowledged: Acknowledgement | null
  /** Within the span. */
  readonly last_seen: Timestamp
  /** First seen within the span, and never before; false where that is not known. */
  readonly new: boolean
  readonly derived: boolean
  /** One message verbatim, with its resource. */
  readonly sample: string | null
  readonly resource: string | null
  /** Further resources that had the cause. */
  readonly more_resources: number
  readonly containing_class: string | null
  readonly file: string | null
  readonly line: number | null
  /** Reports per hour, in the order of the list's `hours`. */
  readonly hours: readonly number[]
}

/** @param days of drift, the hour before which `hours` may count whole days */
export function causeListRead(
  view: View,
  options: CauseListOptions,
  days = 0,
): BatchRead<CauseList> {
  const { kind } = options
  const by = options.by === 'reason' && kind !== 'failure' ? 'resource' : options.by
  const statement: TypedStatement<GroupedCause> =
    by === 'reason' ? groupsByReason(view, options) : groupsByFacet(view, kind, by, days)
  return batchRead([statement], ([rows]) => listOf(view, { ...options, by }, rows))
}

/** Why nodes fail, and some of those that fail by each listed cause now. */
export function failuresRead(
  view: View,
  { limit, nodes }: { readonly limit: number; readonly nodes: number },
): BatchRead<{ readonly causes: CauseList; readonly failing: FailingNodes }> {
  const options = { kind: 'failure', by: 'reason', onlyNew: false, limit } as const
  return batchRead([groupsByReason(view, options, nodes)], ([rows]) => ({
    causes: listOf(view, options, rows),
    failing: failingNodesOf(rows),
  }))
}

function listOf(
  view: View,
  { kind, by, limit }: CauseListOptions,
  rows: readonly GroupedCause[],
): CauseList {
  const hours = lastHoursOf(view)
  const groups = rows.filter(({ label }) => label !== ANY_LABEL)
  const all = rows.find(({ label }) => label === ANY_LABEL)
  const listed = (by === 'reason' ? groups : mostNodesFirst(groups)).slice(0, limit)
  return {
    kind,
    by,
    total: rows[0]?.all_causes ?? 0,
    nodes: all === undefined ? 0 : activeNodes(all).size,
    failing: by === 'reason' ? (rows[0]?.all_failing ?? 0) : null,
    open: by === 'reason' ? (rows[0]?.open_causes ?? 0) : null,
    acknowledged:
      by === 'reason'
        ? { causes: rows[0]?.quiet_causes ?? 0, nodes: rows[0]?.quiet_nodes ?? 0 }
        : null,
    reports: all?.reports ?? 0,
    first_seen_since: rows[0]?.first_seen_since ?? null,
    hours: hours.map((hour) => formatTimestamp(hourStart(hour))),
    items: listed.map((row) => summaryOf(row, view, hours)),
  }
}

function summaryOf(row: GroupedCause, view: View, hours: readonly number[]): CauseSummary {
  const sample = sampleOf(row)
  const { cause = null, first } = row
  const counts = new Map<number, number>()
  for (const [hour, reports] of row.hours)
    if (hour !== null) counts.set(hour, (counts.get(hour) ?? 0) + reports)
  return {
    cause,
    reason: cause === null ? row.reason : labelOf(view, row, sample),
    failing: row.failing ?? null,
    nodes: activeNodes(row).size,
    reports: row.reports,
    events: row.events,
    first_seen: first === null ? null : formatTimestamp(first),
    since: row.since ?? null,
    acknowledged: acknowledgementOf(view, {
      quiet: row.quiet ?? false,
      acknowledgement: row.acknowledgement ?? null,
    }),
    last_seen: formatTimestamp(keyMilliseconds(row.last)),
    new: isNewIn(view, { first, isCause: cause !== null, since: row.first_seen_since }),
    ...sample,
    resource: row.resource,
    more_resources: Math.max(0, distinctIds(row.resources).size - 1),
    containing_class: row.containing_class,
    file: row.file,
    line: row.line,
    hours: hours.map((hour) => counts.get(hour) ?? 0),
  }
}

export const CAUSES_PANEL = defineListPanel({
  path: '/causes',
  summary: 'Why runs failed, drifted or would change: groups with their nodes.',
  takes: {
    kind: asChoice('The kind of events.', 'failure', CAUSE_KINDS),
    by: asChoice('What to group by.', 'reason', CAUSE_FACETS),
    new: asFlag('Only causes that were first seen in the span.', false),
    limit: limitParameter(50, 500),
  },
  read: (view, { new: onlyNew, ...others }) => causeListRead(view, { ...others, onlyNew }),
  columns: [
    'cause',
    'reason',
    'failing',
    'nodes',
    'reports',
    'events',
    'first_seen',
    'since',
    'last_seen',
    'new',
    'acknowledged',
    'sample',
    'resource',
    'more_resources',
    'containing_class',
    'file',
    'line',
  ],
})
