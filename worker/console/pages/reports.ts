/** Reports: runs of the whole fleet, newest first. */

import { askReports } from '../../insight/reports.ts'
import type { ReportsOptions } from '../../insight/shapes.ts'
import { OF_SPAN, pqlOf, quoted } from '../address.ts'
import { everyRow } from '../every-row.ts'
import { html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import {
  exports,
  field,
  filters,
  nothing,
  pager,
  panel,
  select,
  spanFilter,
  without,
} from '../parts/list.ts'
import { reportTable } from '../parts/report-rows.ts'
import type { Span } from '../span.ts'
import { stateChoice } from '../states.ts'
import { look, newestOf, panels, termsOf, type Visit } from '../visit.ts'
import { counted } from '../words.ts'
import { STATE_OPTIONS } from './nodes.ts'

const USUAL = '7d'
const SHOWN = 100
const EXPORTED = 500

function optionsOf({ url: { searchParams } }: Visit, limit: number): ReportsOptions {
  const { states, noop } = stateChoice(searchParams)
  return {
    states,
    noop,
    certname: searchParams.get('certname') || null,
    cursor: searchParams.get('cursor'),
    limit,
  }
}

/** Runs are not silent. */
const STATES = STATE_OPTIONS.filter(([value]) => value !== 'silent')

async function show(visit: Visit): Promise<Page> {
  const { view, span } = await look(visit, USUAL)
  const { reports } = await panels(visit, {
    reports: askReports(view, optionsOf(visit, SHOWN)),
  })
  const { searchParams } = visit.url
  const choice = stateChoice(searchParams)
  const certname = searchParams.get('certname')
  const what = `${choice.name === 'all' ? 'Reports' : `Reports: ${choice.name}`}${certname ? ` of ${certname}` : ''}`
  const [newest] = 'answer' in reports ? reports.answer.items : []
  return {
    title: `${what} · ${span.name}`,
    says: [...OF_SPAN, 'state', 'certname'],
    ...(searchParams.has('cursor') || searchParams.has('to')
      ? {}
      : newestOf(newest?.producer_timestamp ?? null, certname ?? undefined)),
    body: html`<div class="title">
        <h1>${what} <span class="muted">${span.name}</span></h1>
        <span class="right">${exports(visit, queryOf(visit, span), { span })}</span>
      </div>
      ${filters(
        visit,
        spanFilter(visit, span, USUAL),
        select(visit, 'state', 'state', STATES),
        field(visit, 'env', 'environment', 'all'),
        field(visit, 'certname', 'node', 'whole name'),
        without(visit),
      )}${panel(visit, reports, ({ items, next }) =>
        items.length === 0
          ? nothing(
              html`No report matches (${span.name}).
                <a href="/console/reports?since=all">All reports</a>`,
            )
          : html`${reportTable(items, visit.now, certname === null || certname === '')}${pager(visit, next, counted(items.length, 'report'))}`,
      )}`,
  }
}

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
  everyRow(visit, USUAL, (view, cursor) =>
    askReports(view, { ...optionsOf(visit, EXPORTED), cursor }),
  )

export const reports: PageRoute = { path: '/reports', show, rows }
