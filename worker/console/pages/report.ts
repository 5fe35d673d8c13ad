/** The page of one report: its state and why it failed, its events, log and times. */

import { readAll, readOne } from '../../store/batch-read.ts'
import { metricMediansRead } from '../../insight/nodes/metric-series.ts'
import { reportPageRead, type ReportPage } from '../../insight/reports/report-page.ts'
import type { ReportHint } from '../../http/history/archived-report.ts'
import { NotFound } from '../../lib/errors.ts'
import { printed } from '../../insight/list-pages.ts'
import { hintIn, readArchived } from '../archived-report.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { reportLog } from '../parts/logs.ts'
import { wordOf } from '../parts/mark.ts'
import { whyItFailed } from '../parts/report-cause.ts'
import { eventsOfReport } from '../parts/report-events.ts'
import { reportFieldList } from '../parts/report-fields.ts'
import { reportHead } from '../parts/report-head.ts'
import { slowestResources, spentTimes } from '../parts/spent-times.ts'
import { wholeView, type Visit } from '../visit.ts'

/** @throws NotFound if the view has no such report */
export const askReport = async (visit: Visit): Promise<ReportPage> => {
  const view = await wholeView(visit)
  return readOne(visit.database, reportPageRead(view, visit.names['hash'] ?? ''))
}

export async function show(visit: Visit): Promise<Page> {
  const view = await wholeView(visit)
  const hash = visit.names['hash'] ?? ''
  try {
    const { report, medians } = await readAll(visit.database, {
      report: reportPageRead(view, hash),
      medians: metricMediansRead(view, hash),
    })
    return pageOf(visit, report, medians)
  } catch (error) {
    const hint = error instanceof NotFound ? hintIn(visit) : null
    if (hint === null) throw error
    return showArchived(visit, hash, hint)
  }
}

/** The page of a report that the database has no more. @throws NotFound where the history doesn't show it to the reader */
export const showArchived = async (visit: Visit, hash: string, hint: ReportHint): Promise<Page> =>
  pageOf(visit, await readArchived(visit, hash, hint), new Map())

/** @param medians of the node's runs before, by the name of the metric */
function pageOf(
  visit: Visit,
  report: ReportPage,
  medians: ReadonlyMap<string, number | null>,
): Page {
  const words = [
    `${report.certname} ${report.derived ? 'failed (derived)' : wordOf(report)}`,
    report.producer_timestamp.slice(0, 16).replace('T', ' '),
  ]
  return {
    title: words.join(' · '),
    body: html`${reportHead(visit, report)}
      <div class="cols">
        <div class="col">${whyItFailed(report)}${eventsOfReport(visit, report)}</div>
        <div class="col">${spentTimes(report, medians)}${slowestResources(report)}</div>
      </div>
      ${reportLog(visit, report)}${reportFieldList(report)}`,
  }
}

export async function* rows(visit: Visit) {
  const hint = hintIn(visit)
  const { report_events } = await askReport(visit).catch((error: unknown) => {
    if (!(error instanceof NotFound) || hint === null) throw error
    return readArchived(visit, visit.names['hash'] ?? '', hint)
  })
  yield printed(report_events)
}
