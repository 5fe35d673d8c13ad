/** How two runs differ: in their details, events, metrics and logs. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import type { ReportDiff } from '../../insight/reports/report-diff.ts'
import type { Json } from '../../lib/json.ts'
import { counted, duration, number } from '../format.ts'
import { each, html, type Content, type Html } from '../html.ts'
import { eventTree, shownValue } from './events.ts'
import { card, nothing } from './list.ts'
import { tableCard } from './list-card.ts'
import { logLines } from './logs.ts'

/** Most metrics that are listed. */
const METRICS = 20

export const headDifference = ({ head }: ReportDiff): Html =>
  tableCard<ReportDiff['head'][number]>({ name: 'Run details' }, withoutRepeats(head), [
    ['Field', 'name', ({ field }) => field.replaceAll('_', ' ')],
    ['Earlier', 'labelled', ({ from }) => detail(from)],
    ['Later', 'labelled', ({ to }) => detail(to)],
  ])

/** A field, and those that say the same more exactly. */
const REPEATED: readonly (readonly [field: string, better: readonly string[]])[] = [
  ['status', ['state']],
  ['code_version', ['code_id', 'configuration_version']],
]

const withoutRepeats = (head: ReportDiff['head']): ReportDiff['head'] =>
  head.filter(
    ({ field }) =>
      !REPEATED.some(
        ([name, better]) => name === field && head.some((other) => better.includes(other.field)),
      ),
  )

/** A field that one of the runs has not. */
const detail = (value: Json): Content =>
  value === null ? html`<span class="muted">none</span>` : shownValue(value)

export function eventDifference({ events: { added, removed, changed, equal } }: ReportDiff): Html {
  const parts: readonly (readonly [string, readonly EventRow[], prefix?: string])[] = [
    ['Only in the later run', added],
    ['Different in the later run', changed.map(({ to }) => to)],
    ['Only in the earlier run', removed, 'was'],
  ]
  const shown = parts.filter(([, list]) => list.length > 0)
  return card(
    { name: 'Events', id: 'events', note: `${number(equal)} unchanged between the runs` },
    shown.length === 0
      ? nothing(`Both runs have the same events, ${number(equal)} in all.`)
      : each(
          shown,
          ([name, list, prefix]) =>
            html`<h3>${name}: ${number(list.length)}</h3>
              ${eventTree(list, prefix)}`,
        ),
  )
}

export function metricDifference({ metrics: all }: ReportDiff): Html {
  const format = (category: string, value: number | null): string =>
    value === null ? '' : category === 'time' ? duration(value) : number(value)
  return tableCard<ReportDiff['metrics'][number]>(
    {
      name: 'Metrics',
      note: `${all.length > METRICS ? `${METRICS} greatest of ` : ''}${counted(all.length, 'difference')}`,
    },
    all.slice(0, METRICS),
    [
      ['Metric', 'row', ({ category, name }) => `${category} · ${name}`],
      ['Earlier', 'n labelled', ({ category, from }) => format(category, from)],
      ['Later', 'n labelled', ({ category, to }) => format(category, to)],
      [
        'Difference',
        'n labelled',
        ({ category, from, to }) => {
          const difference = (to ?? 0) - (from ?? 0)
          return `${difference < 0 ? '−' : '+'}${format(category, Math.abs(difference))}`
        },
      ],
    ],
  )
}

export const logDifference = ({ logs: { added, removed } }: ReportDiff): Html =>
  card(
    { name: 'Log' },
    html`${added.length + removed.length === 0 ? nothing('Both runs logged the same lines.') : ''}${each(
      Object.entries({ later: added, earlier: removed }),
      ([run, lines]) =>
        lines.length === 0
          ? ''
          : html`<h3>Only in the ${run} run: ${counted(lines.length, 'line')}</h3>
              ${logLines(lines, false)}`,
    )}`,
  )
