/** Compares two reports of one node, and lists only the differences. */

import { sql } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { View } from '../view.ts'
import { reportEvents, type EventRow } from './event-row.ts'
import { bodyOf, bodyPieces, type LogLine, type MetricValue } from './report-body.ts'
import { headOf, reportHeads, type StoredHead } from './report-head.ts'
import { neighbourOf, reportNamed } from './report-key.ts'
import { reportRowOf, type ReportRow } from './report-row.ts'
import { asText } from '../../schema/readers.ts'
import { definePanel } from '../panel.ts'

/** The earlier report: `good`, `previous`, or a hash. */
export interface DiffOptions {
  readonly against: string
}

export interface ReportDiff {
  readonly from: ReportRow
  readonly to: ReportRow
  /** Fields of the head that differ. */
  readonly head: readonly { readonly field: string; readonly from: Json; readonly to: Json }[]
  readonly events: {
    /** Only in the later one. */
    readonly added: readonly EventRow[]
    /** Only in the earlier one. */
    readonly removed: readonly EventRow[]
    /** With the same resource and property, but another status, value or message. */
    readonly changed: readonly { readonly from: EventRow; readonly to: EventRow }[]
    readonly equal: number
  }
  /** Metrics that differ, the greatest change of `time` first. */
  readonly metrics: readonly {
    readonly category: string
    readonly name: string
    readonly from: number | null
    readonly to: number | null
  }[]
  /** Messages that only one of them has, ignoring their times. */
  readonly logs: {
    readonly added: readonly NumberedLine[]
    readonly removed: readonly NumberedLine[]
  }
}

type NumberedLine = LogLine & { readonly index: number }

/**
 * @param hash of the later report
 * @throws NotFound where either report is not visible
 */
export function reportDiffRead(
  view: View,
  hash: string,
  { against }: DiffOptions,
): BatchRead<ReportDiff> {
  const later = reportNamed(view, hash)
  const neighbour = against === 'good' || against === 'previous' ? against : null
  const earlier = neighbour ? neighbourOf(view, later, neighbour) : reportNamed(view, against)
  const keys = sql`select ${earlier} union all select ${later}`
  return batchRead(
    [reportHeads(keys), reportEvents(earlier), reportEvents(later), bodyPieces(keys)],
    ([heads, eventsBefore, events, pieces]) => {
      const to = heads.find((head) => head.hash === hash)
      if (!to) throw new NotFound('report', hash)
      const other = heads.find((head) => head.hash !== hash)
      const from = other ?? (against === hash ? to : undefined)
      if (!from)
        throw neighbour
          ? new NotFound(`report that is ${neighbour} before`, hash)
          : new NotFound('report', against)
      const [bodyBefore, body] = [bodyOf(from, pieces), bodyOf(to, pieces)]
      return {
        from: reportRowOf(from),
        to: reportRowOf(to),
        head: headDiff(from, to),
        events: eventDiff(eventsBefore, events),
        metrics: metricDiff(bodyBefore.metrics, body.metrics),
        logs: {
          added: linesWithout(body.logs, bodyBefore.logs),
          removed: linesWithout(bodyBefore.logs, body.logs),
        },
      }
    },
  )
}

/** Fields that differ between any two runs. */
const ALWAYS_DIFFERENT = new Set(['receive_time', 'transaction_uuid', 'catalog_uuid'])
const OF_ROW = ['status', 'environment', 'agent_version', 'state', 'noop', 'code_version'] as const

function headDiff(from: StoredHead, to: StoredHead): ReportDiff['head'] {
  const fieldsOf = (row: StoredHead): [string, Json][] => [
    ...OF_ROW.map((name): [string, Json] => [name, reportRowOf(row)[name]]),
    ...Object.entries<Json>({ ...headOf(row) }),
  ]
  const earlier = new Map(fieldsOf(from))
  return fieldsOf(to)
    .map(([field, value]) => ({ field, from: earlier.get(field) ?? null, to: value }))
    .filter((one) => one.from !== one.to && !ALWAYS_DIFFERENT.has(one.field))
}

const subjectOf = (event: EventRow): string =>
  JSON.stringify([event.resource_type, event.resource_title, event.property, event.name])
const contentOf = ({ n: _, timestamp: __, ...event }: EventRow): string => JSON.stringify(event)

/** Pairs events by resource, property and name; duplicates in their order. */
function eventDiff(before: readonly EventRow[], after: readonly EventRow[]): ReportDiff['events'] {
  const waiting = new Map<string, EventRow[]>()
  for (const event of before) {
    waiting.set(subjectOf(event), [...(waiting.get(subjectOf(event)) ?? []), event])
  }
  const added: EventRow[] = []
  const changed: { from: EventRow; to: EventRow }[] = []
  let equal = 0
  for (const event of after) {
    const partner = waiting.get(subjectOf(event))?.shift()
    if (!partner) added.push(event)
    else if (contentOf(partner) === contentOf(event)) equal++
    else changed.push({ from: partner, to: event })
  }
  return { added, removed: [...waiting.values()].flat(), changed, equal }
}

function metricDiff(
  before: readonly MetricValue[],
  after: readonly MetricValue[],
): ReportDiff['metrics'] {
  const name = ({ category, name }: MetricValue): string => JSON.stringify([category, name])
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
    .sort(
      (one, other) =>
        Number(other.category === 'time') - Number(one.category === 'time') ||
        changeOf(other) - changeOf(one),
    )
}

const changeOf = ({ from, to }: ReportDiff['metrics'][number]): number =>
  Math.abs((to ?? 0) - (from ?? 0))

/** Lines without a partner of the same level, source and message in the other list. */
function linesWithout(lines: readonly LogLine[], others: readonly LogLine[]): NumberedLine[] {
  const textOf = ({ level, source, message }: LogLine): string =>
    JSON.stringify([level, source, message])
  const left = new Map<string, number>()
  for (const line of others) left.set(textOf(line), (left.get(textOf(line)) ?? 0) + 1)
  return lines.flatMap((line, index) => {
    const rest = left.get(textOf(line)) ?? 0
    left.set(textOf(line), rest - 1)
    return rest > 0 ? [] : [{ ...line, index }]
  })
}

export const DIFF_PANEL = definePanel({
  path: '/reports/:hash/diff',
  summary: 'What differs between two reports of a node.',
  takes: {
    against: asText('The earlier report: `good`, `previous`, or a hash. By default `good`.'),
  },
  read: (view, { hash, against }) => reportDiffRead(view, hash, { against: against ?? 'good' }),
})
