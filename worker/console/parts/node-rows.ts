/** Nodes in a table: state, name, runs, last contact, what happened. */

import type { NodeRow } from '../../insight/shapes.ts'
import { nodeAddress, reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { strip, withGaps } from '../svg/strip.ts'
import { duration, number, short } from '../words.ts'
import { mark } from './mark.ts'
import { when } from './time.ts'

export const nodeTable = (rows: readonly NodeRow[], now: number, runs: number): Html =>
  html`<table class="list cards">
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Node</th>
        <th scope="col" class="n">Runs, newest right</th>
        <th scope="col" class="n">Last run</th>
        <th scope="col">Events</th>
        <th scope="col" class="n">Took</th>
        <th scope="col">Environment</th>
        <th scope="col">Code</th>
      </tr>
    </thead>
    <tbody>
      ${each(rows, (row) => nodeRow(row, now, runs))}
    </tbody>
  </table>`

function nodeRow(row: NodeRow, now: number, runs: number): Html {
  const silentFor = row.silent && row.time !== null ? now - Date.parse(row.time) : null
  return html`<tr>
    <td>${mark(row.run, silentFor)}</td>
    <th scope="row" class="name"><a href="${nodeAddress(row.certname)}">${row.certname}</a></th>
    <td class="pic">${strip(withGaps(row.strip, row.silent, now), runs)}</td>
    <td class="n">
      ${row.report === null ? '' : html`<a href="${reportAddress(row.report)}">${when(row.time, now)}</a>`}
    </td>
    <td>${happened(row.events)}</td>
    <td class="n">${row.seconds === null ? '' : duration(row.seconds)}</td>
    <td>${row.environment ?? ''}</td>
    <td class="code">${row.code_version === null ? '' : short(row.code_version)}</td>
  </tr>`
}

const KINDS = [
  ['failures', 'failed', 'failed'],
  ['skips', 'unchanged', 'skipped'],
  ['successes', 'changed', 'changed'],
  ['noops', 'noop', 'would change'],
] as const

/** What happened in a run, in words: `3 failed · 12 skipped`; nothing where nothing did. */
export function happened(
  events: Readonly<Record<(typeof KINDS)[number][0], number>> | null,
): Html[] {
  if (events === null) return []
  return KINDS.filter(([name]) => events[name] > 0).map(
    ([name, state, word], index) =>
      html`${index > 0 ? ' · ' : ''}<span class="${state}">${number(events[name])} ${word}</span>`,
  )
}
