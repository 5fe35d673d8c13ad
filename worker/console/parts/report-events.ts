/** The events of a report. */

import type { ReportCause } from '../../insight/causes/report-causes.ts'
import type { EventRow } from '../../insight/reports/event-row.ts'
import type { LogLine } from '../../insight/reports/report-body.ts'
import type { ReportPage } from '../../insight/reports/report-page.ts'
import { address, pqlOf, quoted } from '../address.ts'
import { parametersOf } from '../archived-report.ts'
import { readDifference, type DifferenceLine, type FileDifference } from '../file-difference.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { codeLink } from './code-link.ts'
import { eventMessage, eventTree } from './events.ts'
import { card, exports, nothing } from './list.ts'

export function eventsOfReport(visit: Visit, report: ReportPage): Html {
  const { report_events: all, hash, code_version, causes, logs, archived } = report
  if (all.length === 0) {
    return card(
      { name: 'Events' },
      nothing('No events: every resource already matched the catalog, or no catalog was applied.'),
    )
  }
  return card(
    {
      name: 'Events',
      id: 'events',
      note: counted(all.length, 'event'),
      actions: exports(
        visit,
        archived === undefined ? pqlOf('events', [`report = ${quoted(hash)}`]) : null,
        { search: address('', parametersOf(report, report.producer_timestamp)) },
      ),
    },
    eventTree(all, 'e', {
      placeOf: (event) => codeLink(visit.settings.CODE_URL, { ...event, code_version }),
      saysOf: (event) => saidOf(event, causes, logs),
    }),
  )
}

/** What the agent said of an event: nothing again of a cause, and a file's difference instead of its digests. */
function saidOf(event: EventRow, causes: readonly ReportCause[], logs: readonly LogLine[]): Html {
  if (causes.some((cause) => cause.event === event.n)) return html` <a href="#why">why</a>`
  const source = `/${event.resource_type}[${event.resource_title}]/${event.property}`
  for (const line of logs) {
    const found = line.source.endsWith(source) ? readDifference(line.message) : null
    if (found !== null) return difference(found)
  }
  return eventMessage(event)
}

const SIGNS = { same: '', gone: '−', came: '+' } as const

/** The difference of a file as a table: what went and what came, each with its sign and its number. */
const difference = ({ hunks, left }: FileDifference): Html =>
  html`<table class="diff" aria-label="Difference of the file">
      <tbody>
        ${each(hunks, (lines) => html`${hunkHead(lines)}${each(lines, row)}`)}
      </tbody>
    </table>
    ${left === 0 ? NONE : html`<p class="muted">${number(left)} more lines are in the log.</p>`}`

function hunkHead(lines: readonly DifferenceLine[]): Html {
  const numbers = lines.flatMap(({ before, after }) => before ?? after ?? [])
  return html`<tr class="hunk">
    <td></td>
    <td></td>
    <td></td>
    <td>lines ${number(Math.min(...numbers))} to ${number(Math.max(...numbers))}</td>
  </tr>`
}

const row = ({ kind, before, after, pieces }: DifferenceLine): Html =>
  html`<tr class="${kind}">
    <td>${before ?? ''}</td>
    <td>${after ?? ''}</td>
    <td>${SIGNS[kind]}</td>
    <td>
      ${each(pieces, ([text, isChanged]) => (isChanged ? html`<b>${text}</b>` : html`${text}`))}
    </td>
  </tr>`
