/** Two reports of one node, side by side: what differs, and nothing else. */

import { NotFound } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { Row } from '../../store/database.ts'
import {
  bodyPieces,
  keyAround,
  reportEvents,
  reportHeads,
  reportNamed,
  union,
} from './report-row.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { eventOf } from './event-row.ts'
import { bodyOf, headOf } from './report-page.ts'
import { reportRow } from './report-list.ts'
import type { Diff, DiffOptions, LogLine, Metric, ReportEvent } from '../shapes.ts'
import type { View } from '../view.ts'

/** @param hash of the later report; `against` says what it is compared with */
export function askDiff(view: View, hash: string, { against }: DiffOptions): BatchRead<Diff> {
  const later = reportNamed(view, hash)
  const around = against === 'good' || against === 'previous' ? against : null
  const earlier = around ? keyAround(view, later, around) : reportNamed(view, against)
  const keys = union([earlier, later])
  return {
    statements: [reportHeads(keys), reportEvents(keys), bodyPieces(keys)],
    read: ([heads, events, pieces]) => {
      const to = heads!.find(([name]) => name === hash)
      if (!to) throw new NotFound('report', hash)
      const other = heads!.find(([name]) => name !== hash)
      const from = other ?? (against === hash ? to : undefined)
      if (!from)
        throw around
          ? new NotFound(`report that is ${around} before`, hash)
          : new NotFound('report', against)
      return diffOf(from, to, events!, pieces!)
    },
  }
}

function diffOf(from: Row, to: Row, events: readonly Row[], pieces: readonly Row[]): Diff {
  const eventsOf = ([, , , , , key]: Row): ReportEvent[] =>
    events.filter(([report]) => report === key).map((row) => eventOf(row.slice(1)))
  const [before, after] = [bodyOf(from, pieces), bodyOf(to, pieces)]
  return {
    from: reportRow(from),
    to: reportRow(to),
    head: headDiff(from, to),
    events: eventDiff(eventsOf(from), eventsOf(to)),
    metrics: metricDiff(before.metrics, after.metrics),
    logs: {
      added: linesWithout(after.logs, before.logs),
      removed: linesWithout(before.logs, after.logs),
    },
  }
}

/** Fields that are another's in every run say nothing. */
const ALWAYS_DIFFERENT = new Set(['receive_time', 'transaction_uuid', 'catalog_uuid'])
const OF_ROW = ['status', 'environment', 'agent_version', 'state', 'noop', 'code_version'] as const

function headDiff(from: Row, to: Row): Diff['head'] {
  const fieldsOf = (row: Row): [string, Json][] => [
    ...OF_ROW.map((name): [string, Json] => [name, reportRow(row)[name]]),
    ...Object.entries(headOf(row)),
  ]
  const earlier = new Map(fieldsOf(from))
  return fieldsOf(to)
    .map(([field, value]) => ({ field, from: earlier.get(field) ?? null, to: value }))
    .filter((one) => one.from !== one.to && !ALWAYS_DIFFERENT.has(one.field))
}

const subjectOf = (event: ReportEvent): string =>
  JSON.stringify([event.resource_type, event.resource_title, event.property, event.name])
const contentOf = ({ n: _, timestamp: __, ...event }: ReportEvent): string => JSON.stringify(event)

/** Events are paired by resource, property and name; of several that are the same, in their order. */
function eventDiff(before: readonly ReportEvent[], after: readonly ReportEvent[]): Diff['events'] {
  const waiting = new Map<string, ReportEvent[]>()
  for (const event of before) {
    waiting.set(subjectOf(event), [...(waiting.get(subjectOf(event)) ?? []), event])
  }
  const added: ReportEvent[] = []
  const changed: { from: ReportEvent; to: ReportEvent }[] = []
  let equal = 0
  for (const event of after) {
    const partner = waiting.get(subjectOf(event))?.shift()
    if (!partner) added.push(event)
    else if (contentOf(partner) === contentOf(event)) equal++
    else changed.push({ from: partner, to: event })
  }
  return { added, removed: [...waiting.values()].flat(), changed, equal }
}

function metricDiff(before: readonly Metric[], after: readonly Metric[]): Diff['metrics'] {
  const name = ({ category, name }: Metric): string => JSON.stringify([category, name])
  const values = new Map<string, { from: number | null; to: number | null }>()
  for (const metric of before) values.set(name(metric), { from: metric.value, to: null })
  for (const metric of after) {
    values.set(name(metric), { from: values.get(name(metric))?.from ?? null, to: metric.value })
  }
  return [...values]
    .map(([key, value]) => {
      const [category, metric] = JSON.parse(key) as [string, string]
      return { category, name: metric, ...value }
    })
    .filter(({ from, to }) => from !== to)
    .sort((one, other) => weightOf(other) - weightOf(one))
}

/** Seconds come first, the greatest change of them before the others. */
const weightOf = ({ category, from, to }: Diff['metrics'][number]): number =>
  Math.abs((to ?? 0) - (from ?? 0)) + (category === 'time' ? 1e9 : 0)

/** Lines whose level, source and message the other list has no line left for. */
function linesWithout(
  lines: readonly LogLine[],
  others: readonly LogLine[],
): (LogLine & { index: number })[] {
  const said = ({ level, source, message }: LogLine): string =>
    JSON.stringify([level, source, message])
  const left = new Map<string, number>()
  for (const line of others) left.set(said(line), (left.get(said(line)) ?? 0) + 1)
  return lines.flatMap((line, index) => {
    const rest = left.get(said(line)) ?? 0
    left.set(said(line), rest - 1)
    return rest > 0 ? [] : [{ ...line, index }]
  })
}
