/** Compares two reports: what only the later has, what only the earlier has, and what changed. */

import { readOne } from '../../store/batch-read.ts'
import type { EventRow } from '../../insight/reports/event-row.ts'
import { reportDiffRead, type ReportDiff } from '../../insight/reports/report-diff.ts'
import type { ReportRow } from '../../insight/reports/report-row.ts'
import { diffAddress, nodeAddress, reportAddress } from '../address.ts'
import type { Json } from '../../lib/json.ts'
import { each, html, type Content, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { table } from '../parts/table.ts'
import { eventTree, kindFilter, shownKindOf, shownKinds, shownValue } from '../parts/events.ts'
import { card, filters, nothing, title } from '../parts/list.ts'
import { logLines } from '../parts/logs.ts'
import { mark, wordOf } from '../parts/mark.ts'
import { exactly } from '../parts/time.ts'
import { wholeView, type Visit } from '../visit.ts'
import { counted, duration, number } from '../format.ts'

const METRICS = 20

export async function show(visit: Visit): Promise<Page> {
  const view = await wholeView(visit)
  const [earlier = '', later = ''] = (visit.names['pair'] ?? '').split('..')
  const diff = await readOne(visit.database, reportDiffRead(view, later, { against: earlier }))
  const { from, to } = diff
  const same = from.certname === to.certname
  return {
    title: `${same ? to.certname : `${from.certname}, ${to.certname}`} · ${wordOf(from)} to ${wordOf(to)}`,
    body: html`${title('Compare runs', '', html`<a class="btn" href="${diffAddress(to.hash, from.hash)}">Swap</a>`)}
      <div class="two">${side('Earlier', from, 'prev')}${side('Later', to, 'next')}</div>
      ${heads(diff)}${events(visit, diff)}${metrics(diff)}${logs(diff)}`,
  }
}

const side = (name: string, report: ReportRow, rel: string): Html =>
  html`<div class="note">
    <p>
      <small>${name}</small>
      <a rel="${rel}" href="${reportAddress(report.hash)}">${exactly(report.producer_timestamp)}</a>
    </p>
    <p>
      ${mark(report)} <a href="${nodeAddress(report.certname)}">${report.certname}</a>
      <small>${duration(report.seconds)}</small>
    </p>
  </div>`

const heads = ({ head }: ReportDiff): Html =>
  head.length === 0
    ? ''
    : card(
        { name: 'Run details' },
        table<ReportDiff['head'][number]>(withoutRepeats(head), [
          ['Field', 'name', ({ field }) => field.replaceAll('_', ' ')],
          ['Earlier', 'labelled', ({ from }) => detail(from)],
          ['Later', 'labelled', ({ to }) => detail(to)],
        ]),
      )

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

function events(visit: Visit, { events: { added, removed, changed, equal } }: ReportDiff): Html {
  const parts: readonly (readonly [string, readonly EventRow[], prefix?: string])[] = [
    ['Only in the later run', added],
    ['Different in the later run', changed.map(({ to }) => to)],
    ['Only in the earlier run', removed, 'was'],
  ]
  const all = parts.flatMap(([, list]) => list)
  const kinds = shownKinds(visit)
  const shown = parts
    .map(
      ([name, list, prefix]) =>
        [name, list.filter((event) => kinds.includes(shownKindOf(event))), prefix] as const,
    )
    .filter(([, list]) => list.length > 0)
  return card(
    { name: 'Events', id: 'events', note: `${number(equal)} unchanged between the runs` },
    html`${all.length === 0 ? '' : filters(kindFilter(visit, all, kinds))}${
      all.length === 0
        ? nothing(`Both runs have the same events, ${number(equal)} in all.`)
        : each(
            shown,
            ([name, list, prefix]) =>
              html`<h3>${name}: ${number(list.length)}</h3>
                ${eventTree(list, 'containment', prefix)}`,
          )
    }`,
  )
}

function metrics({ metrics: all }: ReportDiff): Html {
  if (all.length === 0) return ''
  const format = (category: string, value: number | null): string =>
    value === null ? '' : category === 'time' ? duration(value) : number(value)
  return card(
    {
      name: 'Metrics',
      note: `${all.length > METRICS ? `${METRICS} greatest of ` : ''}${counted(all.length, 'difference')}`,
    },
    table<ReportDiff['metrics'][number]>(all.slice(0, METRICS), [
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
    ]),
  )
}

const logs = ({ logs: { added, removed } }: ReportDiff): Html =>
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
