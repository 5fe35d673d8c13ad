/** A table of nodes: state, name, strip of runs, last run, events. */

import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { HOUR } from '../../lib/time.ts'
import { reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { strip, timeStrip, withGaps, type Axis } from '../svg/strip.ts'
import { age, duration, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { mark } from './mark.ts'
import { cut } from './plain-table.ts'
import { nodeNames } from './node-name.ts'
import { moment, when } from './time.ts'

/** How a table of nodes is drawn. */
export interface NodeTableOptions {
  /** The number of runs in a strip, or a time axis. */
  readonly strips: number | Axis
  /** The heading of a column by which the table can be sorted; its name where it can't. */
  readonly heading?: (name: string) => Html
}

const NUMERIC: Readonly<Record<string, string>> = { 'Last run': 'n', Took: 'n hide' }

const plainHeading = (name: string): Html =>
  html`<th scope="col" class="${NUMERIC[name] ?? ''}">${name}</th>`

export function nodeTable(
  rows: readonly NodeRow[],
  now: number,
  { strips, heading = plainHeading }: NodeTableOptions,
): Html {
  const nameOf = nodeNames(rows)
  return html`<table class="list cards">
    <thead>
      <tr>
        ${heading('Node')}${heading('State')}
        <th scope="col">
          ${typeof strips === 'number' ? `Last ${strips} runs` : `Runs, last ${age(strips.to - strips.from)}`}
        </th>
        <th scope="col" class="broad">Why</th>
        <th scope="col" class="hide">Environment</th>
        <th scope="col" class="hide">Code</th>
        ${heading('Last run')}${heading('Took')}
      </tr>
    </thead>
    <tbody>
      ${each(rows, (row) => nodeRow(row, now, strips, nameOf))}
    </tbody>
  </table>`
}

function nodeRow(
  row: NodeRow,
  now: number,
  strips: number | Axis,
  nameOf: (certname: string) => Html,
): Html {
  const silentFor = row.silent && row.time !== null ? now - Date.parse(row.time) : null
  return html`<tr>
    <th scope="row" class="name">${nameOf(row.certname)}</th>
    <td class="state">${mark(row.run, silentFor)}</td>
    <td class="pic">
      ${typeof strips === 'number' ? strip(withGaps(row.strip, row.silent, now), strips) : timeStrip(row.strip.runs(), strips)}
    </td>
    <td class="last">${why(row, now)}</td>
    <td class="env hide">${cut(row.environment ?? '')}</td>
    <td class="code hide">${row.code_version === null ? '' : short(row.code_version)}</td>
    <td class="n">
      ${row.report === null ? '' : html`<a href="${reportAddress(row.report)}">${when(row.time, now)}</a>`}
    </td>
    <td class="n hide">${row.seconds === null ? '' : duration(row.seconds)}</td>
  </tr>`
}

/** The reason of a failure, then the silence, then what the latest run did. */
function why({ reason, silent, time, events }: NodeRow, now: number): Html | readonly Html[] {
  if (reason !== null) return html`<span class="clamp" title="${reason}">${reason}</span>`
  return silent && time !== null ? html`No report since ${moment(time, now)}` : happened(events)
}

/** The possible lengths of an axis, in hours. */
const LENGTHS = [1, 3, 6, 12, 24, 48, 168, 336, 720, 2160]

/** The shortest axis that holds all known runs of at least half of the nodes. */
export function axisOf(rows: readonly NodeRow[], now: number): Axis {
  const spans = rows
    .flatMap(({ strip }) => strip.runs()[0] ?? [])
    .map((oldest) => now - Date.parse(oldest.time))
    .sort((one, other) => one - other)
  const median = (spans[spans.length >> 1] ?? 0) / HOUR
  const hours = LENGTHS.find((length) => length >= median) ?? LENGTHS.at(-1)!
  return { from: now - hours * HOUR, to: now }
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
