/** The runs of a node: as a strip, as a list, and one of their metrics over time. */

import type { MetricSeries } from '../../insight/nodes/metric-series.ts'
import type { NodePage } from '../../insight/nodes/node-page.ts'
import type { ReportRow } from '../../insight/reports/report-row.ts'
import { address, pqlOf, quoted, reportAddress, yearsAddress } from '../address.ts'
import { counted, duration } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { line } from '../svg/spark.ts'
import { linkedStrip } from '../svg/strip.ts'
import type { Visit } from '../visit.ts'
import { card, exports, filters, nothing, selectField, type Choice } from './list.ts'
import { reportTable } from './report-rows.ts'
import { moment } from './time.ts'

/** Runs that the page reads. */
export const RUNS_READ = 100
const LISTED = 20
export const METRIC = 'time.total'

export function runStrip(visit: Visit, { runs }: NodePage): Html {
  return card(
    {
      name: 'Runs',
      note: html`last ${counted(runs.length, 'run')}${rangeOf(runs, visit.now)}`,
    },
    html`<div class="run">
      ${linkedStrip(runs.map(({ state, noop, producer_timestamp: time, hash }) => ({ state, noop, time, href: reportAddress(hash) })))}
    </div>`,
  )
}

/** `, from 05:30 to 11:00`: the ends of a strip. */
function rangeOf(runs: readonly ReportRow[], now: number): Html {
  const [oldest, newest] = [runs[0], runs.at(-1)]
  return oldest === undefined || newest === undefined || oldest === newest
    ? NONE
    : html`, from ${moment(oldest.producer_timestamp, now)} to
      ${moment(newest.producer_timestamp, now)}`
}

export function metricChart(
  visit: Visit,
  { series, available, runs }: MetricSeries,
  metric: string,
): Html {
  const [shown] = series
  if (shown === undefined || runs.length === 0) return NONE
  const values = shown.values.filter((value) => value !== null)
  const last = shown.values.at(-1)
  const format = metric.startsWith('time.') ? duration : (value: number) => String(value)
  const numbers = [
    ['last', last ?? null],
    ['median', shown.median],
    ['p95', shown.p95],
    ['max', values.length === 0 ? null : Math.max(...values)],
  ] as const
  return card(
    {
      name: metric === METRIC ? 'Run time' : metric,
      note: `${metric === METRIC ? 'as Puppet counts it: ' : ''}${numbers
        .flatMap(([name, value]) => (value === null ? [] : `${name} ${format(value)}`))
        .join(', ')}`,
    },
    html`<div class="in">
        ${values.length < 2 ? html`<p class="muted">A line needs two runs.</p>` : line(shown.values, shown.median, `${metric} of ${counted(runs.length, 'run')}, oldest first`)}
      </div>
      ${filters(
        selectField(
          visit,
          'metric',
          'Metric',
          [METRIC, ...available.filter((name) => name !== METRIC)].map((name): Choice => [
            name,
            name,
          ]),
          METRIC,
        ),
      )}`,
  )
}

export function latestRuns(visit: Visit, { certname, runs }: NodePage): Html {
  const newest: readonly ReportRow[] = runs.toReversed().slice(0, LISTED)
  const all = address('/console/reports', { certname, since: 'all' })
  return card(
    {
      name: 'Latest runs',
      note: `${newest.length} shown`,
      actions: [
        html`<a class="btn plain" href="${all}">All runs</a>`,
        html` <a class="btn plain" href="${address('/console/changes', { node: certname })}"
          >Changes</a
        >`,
        visit.history === null
          ? NONE
          : html` <a class="btn plain" href="${yearsAddress(certname)}">Years</a>`,
        exports(
          visit,
          pqlOf('reports', [`certname = ${quoted(certname)}`], 'order by producer_timestamp desc'),
          { path: '/console/reports', search: new URL(all, visit.url).search },
        ),
      ],
    },
    html`${
      newest.length === 0
        ? nothing('This node has no stored reports.')
        : reportTable(newest, visit.now, false)
    }`,
  )
}
