/** The list of reports of the fleet, newest first. */

import {
  reportListRead,
  type ReportList,
  type ReportListOptions,
} from '../../insight/reports/report-list.ts'
import { type RunCounts, runCountsRead } from '../../insight/timeline.ts'
import { changed, OF_SPAN, pqlOf, quoted } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { DEFAULT_SPAN } from '../parts/cause.ts'
import {
  chip,
  exports,
  field,
  filters,
  nothing,
  pager,
  panel,
  selectField,
  title,
} from '../parts/list.ts'
import { reportTable } from '../parts/report-rows.ts'
import type { Span } from '../span.ts'
import { unknownEnvironment } from '../scope-bar.ts'
import { runsIn, stateChoice, STATE_CHOICES, stateFilter } from '../states.ts'
import {
  answerOf,
  everywhereRead,
  panels,
  resolveView,
  scopeOf,
  termsOf,
  type Visit,
} from '../visit.ts'
import { counted, number, part } from '../format.ts'
import { STATE_OPTIONS } from './nodes.ts'

const SHOWN = 100
const EXPORTED = 500

function optionsOf({ url: { searchParams } }: Visit, limit: number): ReportListOptions {
  return {
    ...stateFilter(stateChoice(searchParams)),
    certname: searchParams.get('certname') || null,
    cursor: searchParams.get('cursor'),
    limit,
  }
}

/** All states but silent, which only nodes can be. */
const STATES = STATE_OPTIONS.filter(([value]) => value !== 'silent')

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const { searchParams } = visit.url
  const certname = searchParams.get('certname') || null
  const { reports, runs, everywhere } = await panels(visit, {
    reports: reportListRead(view, optionsOf(visit, SHOWN)),
    runs: runCountsRead(view, certname),
    everywhere: everywhereRead(view),
  })
  const choice = stateChoice(searchParams)
  const all = answerOf(runs)
  const found = all === null || choice.fact_errors ? null : runsIn(all, choice)
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
    scope: scopeOf(everywhere, span),
    body: html`${title(
      html`${what}
        <span class="muted"
          >${all === null || choice.name === 'all' ? '' : `of ${number(all.runs)}, `}${span.name}</span
        >`,
      '',
      exports(visit, choice.fact_errors ? null : queryOf(visit, span), { span }),
    )}
    ${filters(
      visit,
      field(visit, 'certname', 'Full name of a node', 'Full name of a node'),
      eventfulChip(visit, all),
      selectField(visit, 'state', 'State', STATES),
    )}${panel(visit, reports, ({ items, next }) =>
      items.length === 0
        ? nothing(
            html`${unknownEnvironment(visit, answerOf(everywhere)?.environments ?? null)}${none(all, span)}`,
          )
        : html`<section class="card">
            ${reportTable(items, visit.now, certname === null)}${pager(visit, next, found === null ? counted(items.length, 'report') : part(items.length, found, 'report'))}
          </section>`,
    )}`,
  }
}

/** The reports of runs that did, or would do, something; most of a fleet's runs are unchanged. */
const eventfulChip = ({ url }: Visit, all: RunCounts | null): Html => {
  const chosen = url.searchParams.get('state') === 'eventful'
  return chip(
    changed(url, { state: chosen ? null : 'eventful' }),
    chosen,
    'Eventful only',
    all === null ? undefined : number(runsIn(all, STATE_CHOICES.eventful)),
  )
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

export const rows = (visit: Visit) =>
  exportedRows(visit, DEFAULT_SPAN, (view, cursor) =>
    reportListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
  )
