/** What broke, drifted or would change: groups of events with their reach. */

import { formatTimestamp } from '../../lib/time.ts'
import { HOUR } from '../../schema/clocks.ts'
import type { Row } from '../../store/database.ts'
import { causesByFacet, causesByReason } from './cause-groups.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import { momentOf } from '../key-time.ts'
import { sampleOf } from './cause-sample.ts'
import type { Cause, Causes, CausesOptions } from '../shapes.ts'
import type { View } from '../view.ts'

/** Causes that are no failures give no reason: by reason they are grouped by resource. */
export function askCauses(view: View, options: CausesOptions): BatchRead<Causes> {
  const { kind, onlyNew, limit } = options
  const by = options.by === 'reason' && kind !== 'failure' ? 'resource' : options.by
  const statement =
    by === 'reason'
      ? causesByReason(view, { onlyNew, limit })
      : causesByFacet(view, kind, by, limit)
  return {
    statements: [statement],
    read: ([rows]) => causesOf(view, { ...options, by }, rows!),
  }
}

function causesOf(view: View, { kind, by }: CausesOptions, rows: readonly Row[]): Causes {
  const hours = lastHoursOf(view)
  const [, , , , , , , , total, nodes, reports] = rows[0] ?? []
  return {
    kind,
    by,
    total: Number(total ?? 0),
    nodes: Number(nodes ?? 0),
    reports: Number(reports ?? 0),
    hours: hours.map((hour) => formatTimestamp(hour * HOUR)),
    items: rows.map((row) => causeOf(row, view, hours)),
  }
}

/** A row of causesByReason or causesByFacet. */
function causeOf(row: Row, { since }: View, hours: readonly number[]): Cause {
  const [name, reason, nodes, reports, events, first, last, counts] = row
  const byHour = new Map(JSON.parse(counts as string) as [number, number][])
  return {
    cause: name as string | null,
    reason: reason as string,
    nodes: nodes as number,
    reports: reports as number,
    events: events as number,
    first_seen: formatTimestamp(first as number),
    last_seen: momentOf(last as number),
    new: name !== null && (first as number) >= since,
    ...sampleOf(row.slice(11), reason as string),
    hours: hours.map((hour) => byHour.get(hour) ?? 0),
  }
}
