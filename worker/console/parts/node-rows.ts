/** A table of nodes: state, name, strip of runs, last run, events. */

import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { reportAddress } from '../address.ts'
import { html, type Html } from '../html.ts'
import { strip, withGaps } from '../svg/strip.ts'
import { duration, number } from '../format.ts'
import { mark } from './mark.ts'
import { cut, table } from './table.ts'
import { nodeNames } from './node-name.ts'
import { moment, when } from './time.ts'

/** Runs that a strip in a table shows. */
export const STRIP_RUNS = 24

/** @param heading of a column by which the table can be sorted: a whole `th` */
export function nodeTable(
  rows: readonly NodeRow[],
  now: number,
  heading: (name: string) => Html,
): Html {
  const nameOf = nodeNames(rows)
  return table<NodeRow>(rows, [
    [heading('Node'), 'name', ({ certname }) => nameOf(certname)],
    [heading('State'), 'state', (row) => mark(row.run, silentFor(row, now))],
    [
      `Last ${STRIP_RUNS} runs`,
      'pic',
      (row) => strip(withGaps(row.strip, row.silent, now), STRIP_RUNS),
    ],
    ['Why', 'last broad', (row) => why(row, now)],
    ['Environment', 'env hide', ({ environment }) => cut(environment ?? '')],
    'code_version',
    [
      heading('Last run'),
      'n',
      ({ report, time }) =>
        report === null ? '' : html`<a href="${reportAddress(report)}">${when(time, now)}</a>`,
    ],
    [heading('Took'), 'n hide', ({ seconds }) => (seconds === null ? '' : duration(seconds))],
  ])
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
