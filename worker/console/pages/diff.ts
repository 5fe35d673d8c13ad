/** Compares two reports: what only the later has, what only the earlier has, and what changed. */

import { reportDiffRead } from '../../insight/reports/report-diff.ts'
import type { ReportRow } from '../../insight/reports/report-row.ts'
import { readOne } from '../../store/batch-read.ts'
import { diffAddress, nodeAddress, reportAddress } from '../address.ts'
import { duration } from '../format.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { title } from '../parts/list.ts'
import { mark, wordOf } from '../parts/mark.ts'
import {
  eventDifference,
  headDifference,
  logDifference,
  metricDifference,
  sidesOf,
} from '../parts/run-difference.ts'
import { exactly } from '../parts/time.ts'
import { wholeView, type Visit } from '../visit.ts'

export async function show(visit: Visit): Promise<Page> {
  const view = await wholeView(visit)
  const [earlier = '', later = ''] = (visit.names['pair'] ?? '').split('..')
  const diff = await readOne(visit.database, reportDiffRead(view, later, { against: earlier }))
  const { from, to } = diff
  const same = from.certname === to.certname
  const sides = sidesOf(diff)
  return {
    title: `${same ? to.certname : `${from.certname}, ${to.certname}`} · ${wordOf(from)} to ${wordOf(to)}`,
    body: html`${title('Compare runs', '', html`<a class="btn" href="${diffAddress(to.hash, from.hash)}">Swap</a>`)}
      <div class="two">
        ${side(same ? sides.from : 'Run', from, 'prev')}${side(same ? sides.to : 'With', to, 'next')}
      </div>
      ${headDifference(diff, sides)}${eventDifference(diff, sides)}${metricDifference(diff, sides)}${logDifference(diff, sides)}`,
  }
}

const side = (name: string, report: ReportRow, rel: string): Html =>
  html`<div class="note">
    <p>
      <small>${name}</small>
      <a rel="${rel}" href="${reportAddress(report.hash)}">${exactly(report.producer_timestamp)}</a>
    </p>
    <p>
      ${mark(report)} <a href="${nodeAddress(report.certname)}">${report.certname}</a>
      <small>${duration(report.seconds)}</small>
    </p>
  </div>`
