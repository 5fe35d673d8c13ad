/** The page of one report: its state and why it failed, its events, log and times. */

import { readOne, readAll } from '../../store/batch-read.ts'
import { metricMediansRead } from '../../insight/nodes/metric-series.ts'
import type { ReportCause } from '../../insight/causes/report-causes.ts'
import type { EventRow } from '../../insight/reports/event-row.ts'
import type { LogLine } from '../../insight/reports/report-body.ts'
import {
  reportPageRead,
  type NeighbourReport,
  type ReportPage,
} from '../../insight/reports/report-page.ts'
import type { ReportHint } from '../../http/history/archived-report.ts'
import { NotFound } from '../../lib/errors.ts'
import { printed } from '../../insight/list-pages.ts'
import {
  address,
  changed,
  diffAddress,
  nodeAddress,
  pqlOf,
  quoted,
  reportAddress,
} from '../address.ts'
import { each, html, type Html } from '../html.ts'
import { readDifference } from '../file-difference.ts'
import type { Page } from '../page.ts'
import { hintIn, parametersOf, readArchived } from '../archived-report.ts'
import { archivedNote } from '../parts/archived-note.ts'
import { kindFilter, shownKinds } from '../parts/event-filter.ts'
import { codeLink } from '../parts/code-link.ts'
import { compareMenu } from '../parts/compare.ts'
import { difference } from '../parts/difference.ts'
import { eventTree, GROUPS, eventMessage, shownKindOf } from '../parts/events.ts'
import {
  card,
  exports,
  fact,
  field,
  filters,
  nothing,
  selectField,
  type Choice,
} from '../parts/list.ts'
import { chosenLines, logLines, MOST_LINES, SHOWN_LEVELS } from '../parts/logs.ts'
import { icon, mark, wordOf } from '../parts/mark.ts'
import { nodeLink } from '../parts/node-link.ts'
import { happened } from '../parts/node-rows.ts'
import { reportCauseList } from '../parts/report-cause.ts'
import { reportFieldList } from '../parts/report-fields.ts'
import { slowestResources } from '../parts/slowest.ts'
import { spentTimes } from '../parts/spent-times.ts'
import { exactly, when } from '../parts/time.ts'
import { chosen } from '../states.ts'
import { wholeView, type Visit } from '../visit.ts'
import { part, counted, duration, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'

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
    body: html`${head(visit, report)}${archivedNote(report)}${losses(report)}
      <div class="cols">
        <div class="col">${why(report)}${events(visit, report)}</div>
        <div class="col">${spentTimes(report, medians)}${slowestResources(report)}</div>
      </div>
      ${logs(visit, report)}${reportFieldList(report)}`,
  }
}

function head(visit: Visit, report: ReportPage): Html {
  const { previous, next, archived } = report
  // The comparison reads the database.
  const good = archived === undefined ? report.last_good : null
  const neighbour = ({ hash, time }: NeighbourReport): string =>
    reportAddress(hash, '', parametersOf(report, time))
  return html`<div class="title">
      <div>
        <p class="crumbs">
          <a href="/console/nodes">Nodes</a> /
          <a href="${nodeAddress(report.certname)}">${report.certname}</a>
        </p>
        <h1>${report.certname}</h1>
        <p class="row">
          ${mark(report)}<span
            >${exactly(report.producer_timestamp)}${next === null && archived === undefined ? ', its newest run' : ''}</span
          >
        </p>
      </div>
      <div class="acts">
        ${
          previous === null
            ? ''
            : html`<a class="btn" rel="prev" href="${neighbour(previous)}"
                >‹ ${when(previous.time, visit.now)} ${wordOf(previous)}</a
              >`
        }${next === null ? '' : html`<a class="btn" rel="next" href="${neighbour(next)}">${when(next.time, visit.now)} ${wordOf(next)} ›</a>`}${
          good === null
            ? ''
            : html`<a class="btn primary" data-key="d" href="${diffAddress(good.hash, report.hash)}"
                >Compare with last good run</a
              >`
        }${nodeLink(visit.settings.NODE_LINK, report.certname)}${previous === null || archived !== undefined ? '' : compareWith(report, previous.hash)}
      </div>
    </div>
    <div class="facts">
      <span
        >${happened(report)}${report.report_events.length === 0 ? 'no events' : ''}${unchangedCount(report)}</span
      >${fact('took', duration(report.seconds))}${fact('environment', report.environment)}${fact('agent', report.agent_version)}${fact('code', report.code_version === null ? null : short(report.code_version))}${fact('noop', report.noop ? 'yes' : null)}
    </div>`
}

/** The run before, and any other run of any node, by its hash. */
const compareWith = ({ hash }: ReportPage, previous: string): Html =>
  compareMenu(
    { to: hash },
    html`<p><a href="${diffAddress(previous, hash)}">With the run before</a></p>`,
  )

/** The reason, the event and the line of the log as one block: nothing of it is said again below. */
function why(report: ReportPage): Html {
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

/** The parts of the report that could not be stored. Only this page shows them. */
const losses = ({ warnings }: ReportPage): Html =>
  warnings.length === 0
    ? ''
    : html`<div class="note failed" role="note">
        <p>A part of this report could not be read and was left out.</p>
        <ul>
          ${each(warnings, (sentence) => html`<li class="mono">${sentence}</li>`)}
        </ul>
      </div>`

/** The number of unchanged resources. */
function unchangedCount({ metrics, failures, successes, noops, skips }: ReportPage): string {
  const total = metrics.find(({ category, name }) => category === 'resources' && name === 'total')
  const rest = (total?.value ?? 0) - failures - successes - noops - skips
  return rest > 0 ? ` · ${number(rest)} resources unchanged` : ''
}

function events(visit: Visit, report: ReportPage): Html {
  const { report_events: all, hash, code_version, causes, logs, archived } = report
  if (all.length === 0) {
    return card(
      { name: 'Events' },
      nothing('No events: every resource already matched the catalog, or no catalog was applied.'),
    )
  }
  const kinds = shownKinds(visit)
  const group = chosen(visit.url.searchParams, 'group', GROUPS, 'containment')
  const shown = all.filter((event) => kinds.includes(shownKindOf(event)))
  return card(
    {
      name: 'Events',
      id: 'events',
      note: part(shown.length, all.length, 'event'),
      actions: exports(
        visit,
        archived === undefined ? pqlOf('events', [`report = ${quoted(hash)}`]) : null,
        { search: address('', parametersOf(report, report.producer_timestamp)) },
      ),
    },
    html`${filters(
      selectField(
        visit,
        'group',
        'Group by',
        GROUPS.map((name): Choice => [name, name]),
        'containment',
      ),
      kindFilter(visit, all, kinds),
    )}${eventTree(shown, group, 'e', {
      placeOf: (event) => codeLink(visit.settings.CODE_URL, { ...event, code_version }),
      saysOf: (event) => saidOf(event, causes, logs),
    })}`,
  )
}

/** What the agent said of an event: nothing again of a cause, and a file's difference instead of its digests. */
function saidOf(event: EventRow, causes: readonly ReportCause[], logs: readonly LogLine[]): Html {
  if (causes.some((cause) => cause.event === event.n)) return html` <a href="#why">why</a>`
  const source = `/${event.resource_type}[${event.resource_title}]/${event.property}`
  for (const line of logs) {
    const found = line.source.endsWith(source) ? readDifference(line.message) : null
    if (found !== null) return difference(found)
  }
  return eventMessage(event)
}

const DEFAULT_LEVEL = 'notice'

function logs(visit: Visit, { logs: all }: ReportPage): Html {
  if (all.length === 0) return card({ name: 'Log' }, nothing('The run logged nothing.'))
  const { searchParams } = visit.url
  const level = chosen(searchParams, 'log', SHOWN_LEVELS, DEFAULT_LEVEL)
  const lines = chosenLines(all, level, searchParams.get('q') ?? '')
  const shown = searchParams.get('lines') === 'all' ? lines : lines.slice(0, MOST_LINES)
  return card(
    {
      name: 'Log',
      id: 'log',
      note: html`${shown.length < lines.length ? html`first ${number(shown.length)} of <a href="${changed(visit.url, { lines: 'all' })}#log">${number(lines.length)} lines</a>` : part(lines.length, all.length, 'line')}`,
    },
    html`${filters(
      selectField(
        visit,
        'log',
        'From level',
        SHOWN_LEVELS.map((name): Choice => [name, name]),
        DEFAULT_LEVEL,
      ),
      field(visit, 'q', 'Find in the log', `Find in ${counted(all.length, 'line')}`),
    )}${lines.length === 0 ? nothing(html`No line matches. <a href="${changed(visit.url, { log: 'debug', q: null, lines: null })}#log">All lines</a>`) : logLines(shown)}`,
  )
}

export async function* rows(visit: Visit) {
  const hint = hintIn(visit)
  const { report_events } = await askReport(visit).catch((error: unknown) => {
    if (!(error instanceof NotFound) || hint === null) throw error
    return readArchived(visit, visit.names['hash'] ?? '', hint)
  })
  yield printed(report_events)
}
