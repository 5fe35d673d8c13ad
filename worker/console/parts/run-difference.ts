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

/** What both runs are called: by their order, or by their nodes. */
export interface Sides {
  /** As the heading of a column. */
  readonly from: string
  readonly to: string
  /** In a sentence: `the earlier run`, `the run of web-01`. */
  readonly fromRun: string
  readonly toRun: string
}

const EARLIER = ['Earlier', 'the earlier run'] as const
const LATER = ['Later', 'the later run'] as const

export function sidesOf({ from, to }: Pick<ReportDiff, 'from' | 'to'>): Sides {
  const inOrder = from.producer_timestamp <= to.producer_timestamp
  const [one, other] =
    from.certname === to.certname
      ? inOrder
        ? [EARLIER, LATER]
        : [LATER, EARLIER]
      : ([byNode(from), byNode(to)] as const)
  return { from: one[0], to: other[0], fromRun: one[1], toRun: other[1] }
}

const byNode = ({ certname }: { readonly certname: string }) =>
  [certname, `the run of ${certname}`] as const

export const headDifference = ({ head }: ReportDiff, sides: Sides): Html =>
  tableCard<ReportDiff['head'][number]>({ name: 'Run details' }, withoutRepeats(head), [
    ['Field', 'name', ({ field }) => field.replaceAll('_', ' ')],
    [sides.from, 'labelled', ({ from }) => detail(from)],
    [sides.to, 'labelled', ({ to }) => detail(to)],
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

export function eventDifference(
  { events: { added, removed, changed, equal } }: ReportDiff,
  sides: Sides,
): Html {
  const parts: readonly (readonly [string, readonly EventRow[], prefix?: string])[] = [
    [`Only in ${sides.toRun}`, added],
    [`Different in ${sides.toRun}`, changed.map(({ to }) => to)],
    [`Only in ${sides.fromRun}`, removed, 'was'],
  ]
  const shown = parts.filter(([, list]) => list.length > 0)
  return card(
    { name: 'Events', id: 'events', note: `${number(equal)} unchanged between the runs` },
    shown.length === 0
      ? nothing(
          equal === 0
            ? 'Neither run has events.'
            : `Both runs have the same events, ${number(equal)} in all.`,
        )
      : each(
          shown,
          ([name, list, prefix]) =>
            html`<h3>${name}: ${number(list.length)}</h3>
              ${eventTree(list, prefix)}`,
        ),
  )
}

export function metricDifference({ metrics: all }: ReportDiff, sides: Sides): Html {
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
      [sides.from, 'n labelled', ({ category, from }) => format(category, from)],
      [sides.to, 'n labelled', ({ category, to }) => format(category, to)],
      [
        'Difference',
        'n labelled',
        ({ category, from, to }) => {
          if (from === null || to === null) return ''
          const difference = to - from
          return `${difference < 0 ? '−' : '+'}${format(category, Math.abs(difference))}`
        },
      ],
    ],
  )
}

export const logDifference = ({ logs: { added, removed } }: ReportDiff, sides: Sides): Html =>
  card(
    { name: 'Log' },
    html`${added.length + removed.length === 0 ? nothing('Both runs logged the same lines.') : ''}${each(
      [
        [sides.toRun, added],
        [sides.fromRun, removed],
      ] as const,
      ([run, lines]) =>
        lines.length === 0
          ? ''
          : html`<h3>Only in ${run}: ${counted(lines.length, 'line')}</h3>
              ${logLines(lines, false)}`,
    )}`,
  )
