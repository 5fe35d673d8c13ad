/** The causes of one report, each with its message and a link to its event or log line. */

import type { ReportCause } from '../../insight/causes/report-causes.ts'
import { address, causeAddress, reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { location } from './cause.ts'
import { MOST_LINES } from './logs.ts'
import { icon } from './mark.ts'

export const reportCauseList = (causes: readonly ReportCause[], report: string): Html =>
  html`<ul class="causes">
    ${each(
      causes,
      (cause) =>
        html`<li class="cause plain failed failure">
          <span class="m failed">${icon('cross')}</span>
          <a class="what" href="${causeAddress(cause.cause)}">${cause.reason}</a
          >${cause.derived ? html` <span class="tag muted">from the log</span>` : ''}
          <small
            >${cause.resource ?? ''}${cause.file === null ? '' : ` · ${location(cause.file, cause.line)}`}
            ${place(cause, report)}</small
          >${cause.sample === cause.reason ? '' : html`<pre>${cause.sample}</pre>`}
        </li>`,
    )}
  </ul>`

function place({ event, log }: ReportCause, report: string): Html {
  if (event !== null) return html`<a href="${reportAddress(report, `e${event}`)}">see event</a>`
  if (log === null) return ''
  const lines = log < MOST_LINES ? null : 'all'
  return html`<a href="${address(reportAddress(report), { lines })}#L${log}">see log line</a>`
}
