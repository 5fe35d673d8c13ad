/** The causes of one report, each with its message and a link to its event or log line. */

import type { ReportCause } from '../../insight/causes/report-causes.ts'
import { address, causeAddress, reportAddress } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { location } from './cause.ts'
import { MOST_LINES } from './logs.ts'
import { icon } from './mark.ts'

export const reportCauseList = (causes: readonly ReportCause[], report: string): Html =>
  html`<ul class="causes slim">
    ${each(
      causes,
      (cause) =>
        html`<li class="failure">
          <span class="st failed">${icon('cross')}failed</span>
          <div>
            <span class="head"
              ><a href="${causeAddress(cause.cause)}">${cause.reason}</a
              >${cause.derived ? html` <span class="tag">from the log</span>` : ''}</span
            >
            <p>
              ${cause.resource ?? ''}${cause.file === null ? '' : ` · ${location(cause.file, cause.line)}`}
              ${place(cause, report)}
            </p>
            ${cause.sample === cause.reason ? '' : html`<pre>${cause.sample}</pre>`}
          </div>
        </li>`,
    )}
  </ul>`

function place({ event, log }: ReportCause, report: string): Html {
  if (event !== null) return html`<a href="${reportAddress(report, `e${event}`)}">see event</a>`
  if (log === null) return ''
  const lines = log < MOST_LINES ? null : 'all'
  return html`<a href="${address(reportAddress(report), { lines })}#L${log}">see log line</a>`
}
