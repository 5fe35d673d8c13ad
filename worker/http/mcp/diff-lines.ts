/** Lines about what differs between two runs of a node. */

import type { ReportDiff } from '../../insight/reports/report-diff.ts'
import { asExcerpt, asValue } from './text.ts'
import { eventLine, firstOf } from './report-lines.ts'

const MOST_LISTED = 8

/** Fields that differ, and resources whose outcome changed. */
export const diffHeadLines = ({ head, events }: ReportDiff): string[] => [
  ...head
    .filter(({ field }) => !['status', 'state', 'producer'].includes(field))
    .map(({ field, from, to }) => `${field}: ${asValue(from)} → ${asValue(to)}`),
  ...firstOf(events.added, MOST_LISTED, (event) => `only now: ${eventLine(event)}`),
  ...firstOf(
    events.changed,
    MOST_LISTED,
    ({ from, to }) => `before ${from.status}, now ${eventLine(to)}`,
  ),
]

export const diffLogLines = ({ logs }: ReportDiff): string[] => [
  ...firstOf(
    logs.added,
    MOST_LISTED,
    ({ level, message }) => `only in the later: ${level} ${asExcerpt(message)}`,
  ),
  ...firstOf(
    logs.removed,
    MOST_LISTED,
    ({ level, message }) => `only in the earlier: ${level} ${asExcerpt(message)}`,
  ),
]

export const diffMetricLines = ({ metrics }: ReportDiff): string[] =>
  firstOf(
    metrics.filter(({ category }) => category === 'time'),
    MOST_LISTED,
    ({ category, name, from, to }) =>
      `${asExcerpt(`${category}.${name}`)}: ${from ?? '-'} s → ${to ?? '-'} s`,
  )
