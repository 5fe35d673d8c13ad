/** The head of a report's page: whose run it was, the ways to others, its facts, and what of it is missing. */

import type { NeighbourReport, ReportPage } from '../../insight/reports/report-page.ts'
import { short } from '../../lib/code-version.ts'
import { diffAddress, nodeAddress, reportAddress, yearsAddress } from '../address.ts'
import { parametersOf } from '../archived-report.ts'
import { counted, duration, listed, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { compareMenu } from './compare.ts'
import { fact, title } from './list.ts'
import { mark, wordOf } from './mark.ts'
import { nodeLink } from './node-link.ts'
import { happened } from './node-rows.ts'
import { exactly, when } from './time.ts'

export const reportHead = (visit: Visit, report: ReportPage): Html =>
  html`${head(visit, report)}${archivedNote(report)}${losses(report)}`

function head(visit: Visit, report: ReportPage): Html {
  const { previous, next, archived } = report
  // The comparison reads the database.
  const good = archived === undefined ? report.last_good : null
  const neighbour = ({ hash, time }: NeighbourReport): string =>
    reportAddress(hash, '', parametersOf(report, time))
  return html`${title(
      report.certname,
      html`${mark(report)}
      ${exactly(report.producer_timestamp)}${next === null && archived === undefined ? ', its newest run' : ''}`,
      html`${
        previous === null
          ? ''
          : html`<a class="btn" rel="prev" href="${neighbour(previous)}"
              >‹ ${when(previous.time, visit.now)} ${wordOf(previous)}</a
            >`
      }${next === null ? '' : html`<a class="btn" rel="next" href="${neighbour(next)}">${when(next.time, visit.now)} ${wordOf(next)} ›</a>`}${
        good === null
          ? ''
          : html`<a class="btn primary" data-key="d" href="${diffAddress(good.hash, report.hash)}"
              >Compare with last good run</a
            >`
      }${nodeLink(visit.settings.NODE_LINK, report.certname)}${previous === null || archived !== undefined ? '' : compareWith(report, previous.hash)}`,
      html`<a href="/console/nodes">Nodes</a> /
        <a href="${nodeAddress(report.certname)}">${report.certname}</a>`,
    )}
    <div class="facts">
      <span
        >${happened(report)}${report.report_events.length === 0 ? 'no events' : ''}${unchangedCount(report)}</span
      >${fact('took', duration(report.seconds))}${fact('environment', report.environment)}${fact('agent', report.agent_version)}${fact('code', report.code_version === null ? null : short(report.code_version))}${fact('noop', report.noop ? 'yes' : null)}
    </div>`
}

/** The run before, and any other run of any node, by its hash. */
const compareWith = ({ hash }: ReportPage, previous: string): Html =>
  compareMenu(
    { to: hash },
    html`<p><a href="${diffAddress(previous, hash)}">With the run before</a></p>`,
  )

/** The number of unchanged resources. */
function unchangedCount({ metrics, failures, successes, noops, skips }: ReportPage): string {
  const total = metrics.find(({ category, name }) => category === 'resources' && name === 'total')
  const rest = (total?.value ?? 0) - failures - successes - noops - skips
  return rest > 0 ? ` · ${number(rest)} resources unchanged` : ''
}

/** Where a report of the history was read. */
const archivedNote = ({ archived, certname }: ReportPage): Html =>
  archived === undefined
    ? NONE
    : html`<p class="note${archived.unreadable.length > 0 ? ' failed' : ''}">
        This report is from the history: the database doesn’t have it any more. Read from
        ${listed(archived.files)}, in ${counted(archived.reads, 'read')}.
        ${archived.unreadable.length > 0 ? `Parts of it are missing, since these files could not be read: ${listed(archived.unreadable)}.` : ''}
        <a href="${yearsAddress(certname)}">Years of ${certname}</a>
      </p>`

/** The parts of the report that could not be stored. Only this page shows them. */
const losses = ({ warnings }: ReportPage): Html =>
  warnings.length === 0
    ? ''
    : html`<div class="note failed" role="note">
        <p>A part of this report could not be read and was left out.</p>
        <ul>
          ${each(warnings, (sentence) => html`<li class="mono">${sentence}</li>`)}
        </ul>
      </div>`
