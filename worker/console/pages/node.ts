/** The page of one node: its state and since when, why it fails, its runs and how long they take. */

import { commandText } from '../../lib/command-text.ts'
import { historyReachRead } from '../../insight/history-reach.ts'
import { metricSeriesRead, type MetricSeries } from '../../insight/nodes/metric-series.ts'
import { nodePageRead, type NodePage } from '../../insight/nodes/node-page.ts'
import { stopAfter } from '../../insight/incident/sentence.ts'
import type { ReportRow } from '../../insight/reports/report-row.ts'
import {
  address,
  causeAddress,
  changed,
  diffAddress,
  nodeAddress,
  pqlOf,
  quoted,
  reportAddress,
  yearsAddress,
} from '../address.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import {
  card,
  exports,
  filters,
  nothing,
  panel,
  selectField,
  tabs,
  type Choice,
} from '../parts/list.ts'
import { historyNote, sqlQuoted } from '../parts/history-reach.ts'
import { icon, mark } from '../parts/mark.ts'
import { table } from '../parts/table.ts'
import { nodeLink } from '../parts/node-link.ts'
import { reportCauseList } from '../parts/report-cause.ts'
import { compareMenu } from '../parts/compare.ts'
import { reportTable } from '../parts/report-rows.ts'
import { moment, when } from '../parts/time.ts'
import { line } from '../svg/spark.ts'
import { linkedStrip } from '../svg/strip.ts'
import { answerOf, panels, wholeView, type Visit } from '../visit.ts'
import { age, counted, duration } from '../format.ts'
import { short } from '../../lib/code-version.ts'

const RUNS = ['25', '50', '100', '200']
const DEFAULT_RUNS = '50'
const LISTED = 20
const METRIC = 'time.total'

export async function show(visit: Visit): Promise<Page> {
  const view = await wholeView(visit)
  const certname = visit.names['certname'] ?? ''
  const { searchParams } = visit.url
  const runs = Math.min(200, Math.max(2, Number(searchParams.get('runs') ?? DEFAULT_RUNS) || 50))
  const metric = searchParams.get('metric') || METRIC
  const found = await panels(visit, {
    node: nodePageRead(view, certname, { runs }),
    series: metricSeriesRead(view, certname, { metrics: [metric], runs }),
    reach: historyReachRead(view),
  })
  const node = answerOf(found.node)
  return {
    title: node === null ? certname : titleOf(node, visit.now),
    live: true,
    ...newestOf(node?.time ?? null, certname),
    body: panel(
      visit,
      found.node,
      (answer) =>
        html`${head(visit, answer)}${strips(visit, answer)}
        ${reasons(answer)}${list(visit, answer)}${panel(visit, found.series, (series) => chart(visit, series, metric))}
        ${historyNote(answerOf(found.reach), runsCommand(certname))}`,
    ),
  }
}

/** Asks the history for all runs of the node. */
const runsCommand = (certname: string): string =>
  `${commandText('history', 'sql')} "select producer_timestamp, status, hash from reports where certname = ${sqlQuoted(certname)} order by 1"`

function titleOf({ certname, run, failing, silent, time }: NodePage, now: number): string {
  const state = run === null ? 'never reported' : run.state
  const since = failing === null ? '' : ` for ${counted(failing.runs, 'run')}`
  return `${certname} · ${state}${since}${silent && time !== null ? `, silent ${age(now - Date.parse(time))}` : ''}`
}

function head({ now, settings }: Visit, node: NodePage): Html {
  const silentFor = node.silent && node.time !== null ? now - Date.parse(node.time) : null
  const facts = [node.environment, node.agent_version && `agent ${node.agent_version}`]
  const gone = [
    ['deactivated', node.deactivated],
    ['expired', node.expired],
  ] as const
  return html`<div class="title">
      <div>
        <p class="crumbs"><a href="/console/nodes">Nodes</a></p>
        <h1>${node.certname}</h1>
        <p class="muted">
          ${mark(node.run, silentFor)}
          ${facts.filter(Boolean).join(' · ')}${
            node.code_version === null
              ? NONE
              : html` · code <code title="${node.code_version}">${short(node.code_version)}</code>`
          }${each(gone, ([word, time]) => (time === null ? NONE : html` · ${word} ${when(time, now)}`))}
        </p>
      </div>
      <div class="acts">
        ${nodeLink(settings.NODE_LINK, node.certname)}${node.report === null ? '' : compareMenu({ node: node.certname })}${diffLink(node)}
      </div>
    </div>
    ${sentence(node, now)}`
}

/** Since when the node fails and why, its last good run, and the way to the incident. */
function sentence(node: NodePage, now: number): Html {
  const { failing, causes, last_good, last_good_report, report } = node
  if (failing === null) return NONE
  const [cause] = causes
  const others = causes.length - 1
  const named =
    cause !== undefined && (cause.resource === null || cause.reason.startsWith(cause.resource))
  return html`<section class="incident" aria-label="Why it fails">
    ${icon('alert')}
    <div>
      <p class="lead">
        Failed since <a href="${reportAddress(failing.report)}">${moment(failing.since, now)}</a>,
        ${counted(failing.runs, 'run')}${
          cause === undefined
            ? '.'
            : html`${named ? NONE : html`, at <b>${cause.resource}</b>`}:
                <i>${cause.reason}</i>${stopAfter(cause.reason)}`
        }
        ${
          last_good === null
            ? 'No good run is stored.'
            : html`Its last good run was at
              ${last_good_report === null ? moment(last_good, now) : html`<a href="${reportAddress(last_good_report)}">${moment(last_good, now)}</a>`}.`
        }
      </p>
      ${others > 0 ? html`<p class="sub">${counted(others, 'more cause')} in the same run.</p>` : NONE}${healthyNeighbour(node)}
    </div>
    <div class="acts">
      ${report === null ? NONE : html`<a class="btn" href="${reportAddress(report)}">Open report</a>`}${
        cause === undefined
          ? NONE
          : html` <a class="btn primary" href="${causeAddress(cause.cause)}">Open incident</a>`
      }
    </div>
  </section>`
}

/** A node of the same group that succeeds, to compare a failing one with. */
const healthyNeighbour = ({ neighbour, report }: NodePage): Html =>
  neighbour === null || report === null
    ? NONE
    : html`<p class="sub">
        A healthy neighbour, <a href="${nodeAddress(neighbour.certname)}">${neighbour.certname}</a>,
        is of the same group, ran the same code, and succeeds.
        <a href="${diffAddress(neighbour.report, report)}">Compare both runs</a>
      </p>`

const diffLink = ({ report, last_good_report, run }: NodePage): Html =>
  report === null || last_good_report === null || run?.state !== 'failed'
    ? ''
    : html`<a class="btn primary" data-key="d" href="${diffAddress(last_good_report, report)}"
        >Compare with last good run</a
      >`

const reasons = ({ causes, report }: NodePage): Html =>
  causes.length === 0
    ? ''
    : card({ name: 'What Puppet said' }, reportCauseList(causes, { hash: report ?? '' }))

function strips(visit: Visit, { runs }: NodePage): Html {
  return card(
    {
      name: 'Runs',
      note: html`last ${counted(runs.length, 'run')}${rangeOf(runs, visit.now)}`,
      actions:
        runs.length < Number(RUNS[0])
          ? NONE
          : tabs(
              'Runs',
              RUNS.map((count) => [
                changed(visit.url, { runs: count === DEFAULT_RUNS ? null : count }),
                count,
                (visit.url.searchParams.get('runs') ?? DEFAULT_RUNS) === count,
              ]),
            ),
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

function chart(visit: Visit, { series, available, runs }: MetricSeries, metric: string): Html {
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
      )}
      <details>
        <summary>As a table</summary>
        ${table(
          runs.map((run, index) => ({ ...run, value: shown.values[index] ?? null })).reverse(),
          [
            [
              'Run',
              'name',
              (run) =>
                html`<a href="${reportAddress(run.report)}">${when(run.time, visit.now)}</a>`,
            ],
            [metric, 'n labelled', ({ value }) => (value === null ? '' : format(value))],
          ],
        )}
      </details>`,
  )
}

function list(visit: Visit, { certname, runs }: NodePage): Html {
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
