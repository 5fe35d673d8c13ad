/** The list of reports of the fleet, newest first. */

import {
  reportListRead,
  type ReportList,
  type ReportListOptions,
} from '../../insight/reports/report-list.ts'
import { type RunCounts, runCountsRead } from '../../insight/timeline.ts'
import { OF_SPAN, pqlOf, quoted } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { html, type Html } from '../html.ts'
import { newestOf, type Page, type PageRoute } from '../page.ts'
import {
  exports,
  field,
  filters,
  nothing,
  pager,
  panel,
  selectField,
  spanFilter,
  without,
} from '../parts/list.ts'
import { reportTable } from '../parts/report-rows.ts'
import type { Span } from '../span.ts'
import { runsIn, stateChoice } from '../states.ts'
import { answerOf, resolveView, panels, termsOf, type Visit } from '../visit.ts'
import { counted, number, part } from '../format.ts'
import { STATE_OPTIONS } from './nodes.ts'

const DEFAULT_SPAN = '7d'
const SHOWN = 100
const EXPORTED = 500

function optionsOf({ url: { searchParams } }: Visit, limit: number): ReportListOptions {
  const { states, noop } = stateChoice(searchParams)
  return {
    states,
    noop,
    certname: searchParams.get('certname') || null,
    cursor: searchParams.get('cursor'),
    limit,
  }
}

/** All states but silent, which only nodes can be. */
const STATES = STATE_OPTIONS.filter(([value]) => value !== 'silent')

async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const { searchParams } = visit.url
  const certname = searchParams.get('certname') || null
  const { reports, runs } = await panels(visit, {
    reports: reportListRead(view, optionsOf(visit, SHOWN)),
    runs: runCountsRead(view, certname),
  })
  const choice = stateChoice(searchParams)
  const all = answerOf(runs)
  const found = all === null ? null : runsIn(all, choice)
  const shown = answerOf(reports)
  const count = found ?? (searchParams.has('cursor') ? null : totalOf(shown))
  const what = `${count === null ? 'Reports' : counted(count, 'report')}${certname === null ? '' : ` of ${certname}`}${choice.name === 'all' ? '' : ` ${choice.name}`}`
  const newest = shown?.items[0]
  return {
    title: `${what} · ${span.name}`,
    inTitle: [...OF_SPAN, 'state', 'certname'],
    ...(searchParams.has('cursor') || searchParams.has('to')
      ? {}
      : newestOf(newest?.producer_timestamp ?? null, certname ?? undefined)),
    body: html`<div class="title">
        <h1>
          ${what}
          <span class="muted"
            >${all === null || choice.name === 'all' ? '' : `of ${number(all.runs)}, `}${span.name}</span
          >
        </h1>
        <span class="right">${exports(visit, queryOf(visit, span), { span })}</span>
      </div>
      ${filters(
        visit,
        spanFilter(visit, span, DEFAULT_SPAN),
        selectField(visit, 'state', 'state', STATES),
        field(visit, 'env', 'environment', 'all'),
        field(visit, 'certname', 'node', 'full name'),
        without(visit),
      )}${panel(visit, reports, ({ items, next }) =>
        items.length === 0
          ? nothing(none(all, span))
          : html`${reportTable(items, visit.now, certname === null)}${pager(visit, next, found === null ? counted(items.length, 'report') : part(items.length, found, 'report'))}`,
      )}`,
  }
}

/** The number of reports if one page holds all of them; otherwise null. */
const totalOf = (reports: ReportList | null): number | null =>
  reports?.next === null ? reports.items.length : null

/** The sentence for an empty list, with the number of reports that don't match if it is known. */
const none = (all: RunCounts | null, { name }: Span): Html =>
  html`${all?.runs ? `None of ${counted(all.runs, 'report')}` : 'No report'} matches (${name}).
    <a href="/console/reports?since=all">All reports</a>`

function queryOf(visit: Visit, span: Span): string {
  const { searchParams } = visit.url
  const certname = searchParams.get('certname')
  return pqlOf(
    'reports',
    [
      stateChoice(searchParams).pql,
      certname ? `certname = ${quoted(certname)}` : null,
      ...termsOf(visit, span),
    ],
    'order by producer_timestamp desc',
  )
}

const rows = (visit: Visit) =>
  exportedRows(visit, DEFAULT_SPAN, (view, cursor) =>
    reportListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
  )

export const reportsPage: PageRoute = {
  path: '/reports',
  menu: { name: 'Reports', key: 'r' },
  show,
  rows,
}
