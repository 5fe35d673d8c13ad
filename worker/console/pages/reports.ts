/** The list of reports of the fleet, newest first. */

import { reportListRead } from '../../insight/reports/report-list.ts'
import { runCountsRead } from '../../insight/timeline.ts'
import { filled, OF_SPAN } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { counted, number, part } from '../format.ts'
import { html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { exports, title } from '../parts/list.ts'
import { listCard } from '../parts/list-card.ts'
import { reportFilters, reportOptions, reportsQuery } from '../parts/report-filters.ts'
import { reportTable } from '../parts/report-rows.ts'
import { runsIn, stateChoice } from '../states.ts'
import { answerOf, readPage, type Visit } from '../visit.ts'

const SHOWN = 100
const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const { searchParams } = visit.url
  const certname = filled(searchParams, 'certname')
  const { span, scope, found } = await readPage(visit, (view) => ({
    reports: reportListRead(view, reportOptions(visit, SHOWN)),
    runs: runCountsRead(view, certname),
  }))
  const choice = stateChoice(searchParams)
  const [shown, all] = [answerOf(found.reports), answerOf(found.runs)]
  const known = all === null || choice.fact_errors ? null : runsIn(all, choice)
  const onePage = searchParams.has('cursor') || shown?.next !== null ? null : shown.items.length
  const count = known ?? onePage
  const what = `${count === null ? 'Reports' : counted(count, 'report')}${certname === null ? '' : ` of ${certname}`}${choice.name === 'all' ? '' : ` ${choice.name}`}`
  return {
    title: `${what} · ${span.name}`,
    inTitle: [...OF_SPAN, 'state', 'certname'],
    ...(searchParams.has('cursor') || searchParams.has('to')
      ? {}
      : newestOf(shown?.items[0]?.producer_timestamp ?? null, certname ?? undefined)),
    scope,
    body: html`${title(
      html`${what}
        <span class="muted"
          >${all === null || choice.name === 'all' ? '' : `of ${number(all.runs)}, `}${span.name}</span
        >`,
      '',
      exports(visit, reportsQuery(visit, span), { span }),
    )}
    ${reportFilters(visit)}${listCard(visit, {
      scope,
      found: found.reports,
      show: ({ items }) => reportTable(items, visit.now, certname === null),
      note: ({ items }) =>
        known === null ? counted(items.length, 'report') : part(items.length, known, 'report'),
      none: () =>
        html`${all?.runs ? `None of ${counted(all.runs, 'report')}` : 'No report'} matches
          (${span.name}). <a href="/console/reports?since=all">All reports</a>`,
    })}`,
  }
}

export const rows = (visit: Visit) =>
  exportedRows(visit, (view, cursor) =>
    reportListRead(view, { ...reportOptions(visit, EXPORTED), cursor }),
  )
