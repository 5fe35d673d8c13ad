/** The log lines that a search finds, how far back it read, and a link to go on. */

import type { LogHit, LogSearch } from '../../insight/log-search.ts'
import { changed, reportAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import type { Span } from '../span.ts'
import type { Visit } from '../visit.ts'
import { location } from './cause.ts'
import { card, tabs } from './list.ts'
import { nodeNames } from './node-name.ts'
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

/** A line, and all of the page that say the same, the newest first. */
type SameLine = LogHit & { readonly same: readonly LogHit[] }

const grouped = (items: readonly LogHit[]): readonly SameLine[] =>
  [...Map.groupBy(items, ({ level, source, message }) => [level, source, message].join('\n'))].map(
    ([, same]) => ({ ...same[0]!, same }),
  )

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
  return table<SameLine>(grouped(items), [
    ['Line', 'name line', lineOf],
    [
      'Node',
      'broad last',
      ({ certname, same }) =>
        same.length === 1
          ? nameOf(certname)
          : html`<details class="nodes">
              <summary>
                <b>${counted(new Set(same.map((one) => one.certname)).size, 'node')}</b>,
                ${counted(same.length, 'line')}
              </summary>
              <ul>
                ${each(same, (one) => html`<li>${nameOf(one.certname)} <a href="${reportOf(one)}">${whenOf(one)}</a></li>`)}
              </ul>
            </details>`,
    ],
    ['When', 'n labelled', whenOf],
  ])
}

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
