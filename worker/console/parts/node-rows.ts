/** A table of nodes: state, name, strip of runs, last run, events. */

import type { NodeRow } from '../../insight/nodes/node-row.ts'
import { HOUR } from '../../lib/time.ts'
import { nodeAddress, reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { strip, timeStrip, withGaps, type Axis } from '../svg/strip.ts'
import { age, duration, number, short } from '../format.ts'
import { mark } from './mark.ts'
import { when } from './time.ts'

/** @param strips the number of runs in a strip, or a time axis */
export const nodeTable = (rows: readonly NodeRow[], now: number, strips: number | Axis): Html =>
  html`<table class="list cards">
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Node</th>
        <th scope="col" class="n">
          ${typeof strips === 'number' ? 'Runs, newest right' : `Runs, last ${age(strips.to - strips.from)}`}
        </th>
        <th scope="col" class="n">Last run</th>
        <th scope="col">Events</th>
        <th scope="col" class="n">Took</th>
        <th scope="col">Environment</th>
        <th scope="col">Code</th>
      </tr>
    </thead>
    <tbody>
      ${each(rows, (row) => nodeRow(row, now, strips))}
    </tbody>
  </table>`

function nodeRow(row: NodeRow, now: number, strips: number | Axis): Html {
  const silentFor = row.silent && row.time !== null ? now - Date.parse(row.time) : null
  return html`<tr>
    <td>${mark(row.run, silentFor)}</td>
    <th scope="row" class="name"><a href="${nodeAddress(row.certname)}">${row.certname}</a></th>
    <td class="pic">
      ${typeof strips === 'number' ? strip(withGaps(row.strip, row.silent, now), strips) : timeStrip(row.strip.runs(), strips)}
    </td>
    <td class="n">
      ${row.report === null ? '' : html`<a href="${reportAddress(row.report)}">${when(row.time, now)}</a>`}
    </td>
    <td>${happened(row.events)}</td>
    <td class="n">${row.seconds === null ? '' : duration(row.seconds)}</td>
    <td>${row.environment ?? ''}</td>
    <td class="code">${row.code_version === null ? '' : short(row.code_version)}</td>
  </tr>`
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
  ['noops', 'noop', 'would change'],
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
