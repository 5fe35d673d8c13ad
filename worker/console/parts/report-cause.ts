/** The causes of one report, each with its message and a link to its event or log line. */

import type { LogLine } from '../../insight/reports/report-body.ts'
import type { ReportCause } from '../../insight/causes/report-causes.ts'
import type { ReportPage } from '../../insight/reports/report-page.ts'
import { parametersOf } from '../archived-report.ts'
import { number } from '../format.ts'
import { causeAddress, reportAddress, type Changes } from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { location } from './cause.ts'
import { card } from './list.ts'
import { MOST_LINES } from './logs.ts'
import { icon } from './mark.ts'
import { message } from './message.ts'

/** Where links of the list lead: the report, and the parameters of its page. */
interface ReportLinks {
  readonly hash: string
  readonly parameters?: Changes
  /** Where they are at hand, to lead from an event to its line. */
  readonly logs?: readonly LogLine[]
}

/** The reason, the event and the line of the log as one block: nothing of it is said again below. */
export function whyItFailed(report: ReportPage): Html {
  const { causes, hash, logs, skips } = report
  if (causes.length === 0) return ''
  const parameters = parametersOf(report, report.producer_timestamp)
  return card(
    {
      name: html`<span class="st failed">${icon('cross')}Why it failed</span>`,
      id: 'why',
      note: skips === 0 ? '' : `${number(skips)} skipped because of it`,
    },
    reportCauseList(causes, { hash, parameters, logs }),
  )
}

export const reportCauseList = (causes: readonly ReportCause[], report: ReportLinks): Html =>
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
            ${cause.sample === cause.reason ? '' : message(cause.sample, cause.reason)}
          </div>
        </li>`,
    )}
  </ul>`

function place(
  { event, log, resource, sample }: ReportCause,
  { hash, parameters = {}, logs = [] }: ReportLinks,
): Html {
  const line = log ?? lineOf(logs, resource, sample)
  return html`${event === null ? '' : html`<a href="${reportAddress(hash, `e${event}`, parameters)}">Show event</a> `}${
    line === null
      ? ''
      : html`<a
          href="${reportAddress(hash, `L${line}`, { ...parameters, lines: line < MOST_LINES ? null : 'all' })}"
          >Show log line</a
        >`
  }`
}

/** The line of the log with the message of an event of that resource. */
function lineOf(logs: readonly LogLine[], resource: string | null, sample: string): number | null {
  const ofMessage = (line: LogLine): boolean => line.message === sample
  const ofResource = ({ source }: LogLine): boolean =>
    resource !== null && source.includes(`/${resource}`)
  const exact = logs.findIndex((line) => ofMessage(line) && ofResource(line))
  const index = exact >= 0 ? exact : logs.findIndex(ofMessage)
  return index < 0 ? null : index
}
