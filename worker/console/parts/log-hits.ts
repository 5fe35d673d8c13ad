/** The log lines that a search finds, how far back it read, and a link to go on. */

import type { LogHit, LogSearch } from '../../insight/log-search.ts'
import { changed, reportAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import type { Span } from '../span.ts'
import type { Visit } from '../visit.ts'
import { location } from './cause.ts'
import { card, tabs } from './list.ts'
import { nodeNames } from './node-name.ts'
import { nodesOfSame, sameRows, type Same } from './same-rows.ts'
import { table } from './table.ts'
import { exactly, when } from './time.ts'

/** @param span the span that was searched */
export const logHits = (visit: Visit, found: LogSearch, span: Span): Html =>
  card(
    { name: 'Log lines', note: span.name, id: 'logs' },
    html`<p>
        ${tabs('Runs', [
          [changed(visit.url, { runs: null }), 'Failed, drifting and pending runs', found.notable],
          [changed(visit.url, { runs: 'all' }), 'All runs', !found.notable],
        ])}
      </p>
      ${found.items.length === 0 ? '' : hitTable(visit, found)} ${extent(visit, found, span)}`,
  )

const ERRORS: ReadonlySet<string> = new Set(['err', 'alert', 'emerg', 'crit'])

const reportOf = ({ report, index }: LogHit): string => reportAddress(report, `L${index}`)

const lineOf = (hit: LogHit): Html =>
  html`<a class="mono" href="${reportOf(hit)}">${hit.message}</a>
    <small
      ><span class="${ERRORS.has(hit.level) ? 'failed' : 'muted'}">${hit.level}</span>
      ${hit.source}${hit.file === null ? '' : ` · ${location(hit.file, hit.line)}`}</small
    >`

function hitTable({ now }: Visit, { items }: LogSearch): Html {
  const nameOf = nodeNames(items)
  const whenOf = ({ time }: LogHit): Html => when(utcOf(time), now)
  const timeOf = (hit: LogHit): Html => html`<a href="${reportOf(hit)}">${whenOf(hit)}</a>`
  return table<Same<LogHit>>(sameRows(items, saidBy), [
    ['Line', 'name line', lineOf],
    ['Node', 'broad last', ({ same }) => nodesOfSame(same, 'line', { nameOf, timeOf })],
    ['When', 'n labelled', whenOf],
  ])
}

const saidBy = ({ level, source, message }: LogHit): string => [level, source, message].join('\n')

/** Agents may write the time of their own zone. */
function utcOf(time: string): string | null {
  const milliseconds = Date.parse(time)
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString()
}

/** What was read, so that nobody takes a part for the whole. */
function extent(visit: Visit, found: LogSearch, span: Span): Html {
  const { items, reports, too_long: tooLong, next, back_to: backTo } = found
  const lines = items.length === 0 ? 'No matching line' : counted(items.length, 'line')
  const read = `${lines} in ${counted(reports, 'log')}`
  return html`<p class="foot">
    ${
      next === null
        ? html`${read}${visit.url.searchParams.has('cursor') ? ', to the end of the chosen time' : ` (all logs, ${span.name})`}.`
        : html`${read}, searched back to ${exactly(backTo)}.
            <a href="${changed(visit.url, { cursor: next })}#logs" rel="next"
              >Search further back</a
            >`
    }
    ${tooLong === 0 ? '' : `${number(tooLong)} logs are too long and were not searched.`}
  </p>`
}
