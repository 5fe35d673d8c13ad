/** The runs of a node: as a strip, as a list, and how long they took. */

import type { MetricSeries } from '../../insight/nodes/metric-series.ts'
import type { NodePage } from '../../insight/nodes/node-page.ts'
import type { ReportRow } from '../../insight/reports/report-row.ts'
import { address, pqlOf, quoted, reportAddress, yearsAddress } from '../address.ts'
import { counted, duration } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { line } from '../svg/spark.ts'
import { linkedStrip } from '../svg/strip.ts'
import type { Visit } from '../visit.ts'
import { card, exports, nothing } from './list.ts'
import { reportTable } from './report-rows.ts'
import { moment } from './time.ts'

/** Runs that the page reads. */
export const RUNS_READ = 100
const LISTED = 20
/** The time of a run, as Puppet counts it. */
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

export function runTimeChart({ series, runs }: MetricSeries): Html {
  const [times] = series
  if (times === undefined || runs.length === 0) return NONE
  const values = times.values.filter((value) => value !== null)
  const numbers = [
    ['last', times.values.at(-1) ?? null],
    ['median', times.median],
    ['p95', times.p95],
    ['max', values.length === 0 ? null : Math.max(...values)],
  ] as const
  const shown = numbers.flatMap(([name, value]) =>
    value === null ? [] : `${name} ${duration(value)}`,
  )
  return card(
    { name: 'Run time', note: `as Puppet counts it: ${shown.join(', ')}` },
    html`<div class="in">
      ${values.length < 2 ? html`<p class="muted">A line needs two runs.</p>` : line(times.values, times.median, `${METRIC} of ${counted(runs.length, 'run')}, oldest first`)}
    </div>`,
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
    newest.length === 0
      ? nothing('This node has no stored reports.')
      : reportTable(newest, visit.now, false),
  )
}
