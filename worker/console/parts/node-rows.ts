/** A table of nodes: state, name, strip of runs, last run, events. */

import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { reportAddress } from '../address.ts'
import { html, NONE, type Html } from '../html.ts'
import { strip, withGaps } from '../svg/strip.ts'
import { duration, number } from '../format.ts'
import type { Visit } from '../visit.ts'
import { mark, saidState } from './mark.ts'
import { cut, table, type TableColumn } from './table.ts'
import { nodeNames } from './node-name.ts'
import { moment, saidWhen, when } from './time.ts'

/** Runs that a strip in a table shows. */
export const STRIP_RUNS = 24

export function nodeTable({ now }: Visit, rows: readonly NodeRow[]): Html {
  const nameOf = nodeNames(rows)
  const columns: readonly (TableColumn<NodeRow> | 'code_version')[] = [
    ['Node', 'name said', (row) => nameOf(row.certname, NONE, saidOf(row, now))],
    ['State', 'state', (row) => mark(row.run, silentFor(row, now))],
    [
      `Last ${STRIP_RUNS} runs`,
      'pic',
      (row) => strip(withGaps(row.strip, row.silent, now), STRIP_RUNS),
    ],
    ['Why', 'last broad', (row) => why(row, now)],
    ['Environment', 'env hide', ({ environment }) => cut(environment ?? '')],
    'code_version',
    [
      'Last run',
      'n',
      ({ report, time }) =>
        report === null
          ? ''
          : html`<a href="${reportAddress(report)}" tabindex="-1">${when(time, now)}</a>`,
    ],
    ['Took', 'n hide', ({ seconds }) => (seconds === null ? '' : duration(seconds))],
  ]
  return table<NodeRow>(rows, columns, { ofLinks: true })
}

/** What is heard of a row after its name: `, failed, 5 min ago: No such file`. */
function saidOf(row: NodeRow, now: number): Html {
  const { time, reason } = row
  const state = saidState(row.run, silentFor(row, now))
  return html`<span class="sr"
    >,
    ${state}${time === null ? '' : `, ${saidWhen(time, now)}`}${reason === null ? '' : `: ${reason}`}</span
  >`
}

const silentFor = ({ silent, time }: NodeRow, now: number): number | null =>
  silent && time !== null ? now - Date.parse(time) : null

/** The reason of a failure, then the silence, then what the latest run did. */
function why({ reason, silent, time, events }: NodeRow, now: number): Html | readonly Html[] {
  if (reason !== null) return html`<span class="clamp" title="${reason}">${reason}</span>`
  return silent && time !== null ? html`No report since ${moment(time, now)}` : happened(events)
}

const KINDS = [
  ['failures', 'failed', 'failed'],
  ['skips', 'unchanged', 'skipped'],
  ['successes', 'changed', 'changed'],
  ['noops', 'noop', 'pending'],
] as const

/** The events of a run in words: `3 failed · 12 skipped`; empty without events. */
export function happened(
  events: Readonly<Record<(typeof KINDS)[number][0], number>> | null,
): Html[] {
  if (events === null) return []
  return KINDS.filter(([name]) => events[name] > 0).map(
    ([name, state, word], index) =>
      html`${index > 0 ? ' · ' : ''}<span class="${state}">${number(events[name])} ${word}</span>`,
  )
}
