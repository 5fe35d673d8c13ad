/** The page of changes, for audits: when a resource, class, manifest or node changed, and by which code. */

import {
  changeListRead,
  CHANGE_KINDS,
  type ChangeRow,
  type ChangeList,
  type ChangeListOptions,
} from '../../insight/reports/change-list.ts'
import { commandText } from '../../lib/command-text.ts'
import { causeListRead } from '../../insight/causes/cause-list.ts'
import { historyReachRead } from '../../insight/history-reach.ts'
import { pendingChangesRead } from '../../insight/reports/pending-changes.ts'
import type { View } from '../../insight/view.ts'
import { runCountsRead } from '../../insight/timeline.ts'
import { NO_READ } from '../../store/batch-read.ts'
import { address, changed, OF_RUNS, OF_SPAN, reportAddress } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { table } from '../parts/table.ts'
import { DEFAULT_SPAN } from '../parts/cause.ts'
import { codeLink } from '../parts/code-link.ts'
import { nodeNames } from '../parts/node-name.ts'
import { briefValue, shownKindOf, lookOf } from '../parts/events.ts'
import { historyNote, sqlQuoted } from '../parts/history-reach.ts'
import {
  exports,
  filters,
  keep,
  nothing,
  pager,
  panel,
  tabs,
  textField,
  title,
} from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { exactly, when } from '../parts/time.ts'
import { DRIFT_BY, driftList, pendingList } from '../parts/pending.ts'
import { unknownEnvironment } from '../scope-bar.ts'
import { chosen } from '../states.ts'
import {
  answerOf,
  everywhereRead,
  nodeTerms,
  panels,
  resolveView,
  scopeOf,
  type Visit,
} from '../visit.ts'
import { counted } from '../format.ts'

const SHOWN = 100
const EXPORTED = 500
const PENDING_SHOWN = 200
const DRIFT_SHOWN = 20

type Kind = (typeof CHANGE_KINDS)[number]

/** The tabs of the page, in their order. */
const KIND_NAMES: Readonly<Record<Kind, string>> = {
  intentional: 'Changed',
  noop: 'Pending',
  corrective: 'Drift',
  failure: 'Failed',
  any: 'All',
}

function optionsOf(visit: Visit, limit: number): ChangeListOptions {
  const { searchParams } = visit.url
  const text = (name: string): string | null => searchParams.get(name) || null
  return {
    resource: text('resource'),
    class: text('class'),
    file: text('file'),
    certname: text('node'),
    kind: chosen(searchParams, 'kind', CHANGE_KINDS, initialKind(searchParams)),
    cursor: text('cursor'),
    limit,
    terms: nodeTerms(visit, 'environment'),
  }
}

/** What changed; where something is named, whatever happened to it. */
const initialKind = (parameters: URLSearchParams): Kind =>
  ['resource', 'class', 'file', 'node'].some((name) => parameters.get(name)) ? 'any' : 'intentional'

/** The filters, for the title: `File[/etc/motd] · node web-01`. */
const subject = ({ resource, class: className, file, certname }: ChangeListOptions): string =>
  [
    resource,
    className && `class ${className}`,
    file && `manifest ${file}`,
    certname && `node ${certname}`,
  ]
    .filter(Boolean)
    .join(' · ')

/** Events beyond the page are not counted: counting would read all of them. */
const countOf = ({ items, next }: ChangeList): string =>
  `${next === null ? '' : 'More than '}${counted(items.length, 'change')}`

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const options = optionsOf(visit, SHOWN)
  if (options.kind === 'noop' && subject(options) === '') return showPending(visit, view)
  const by = chosen(visit.url.searchParams, 'by', DRIFT_BY, 'resource')
  const isOfDrift =
    options.kind === 'corrective' && subject(options) === '' && options.cursor === null
  const { changes, runs, everywhere, reach, drift } = await panels(visit, {
    reach: historyReachRead(view),
    drift: isOfDrift
      ? causeListRead(view, {
          kind: 'corrective',
          by,
          onlyNew: false,
          limit: DRIFT_SHOWN,
        })
      : NO_READ,
    everywhere: everywhereRead(view),
    changes: changeListRead(view, options),
    runs: runCountsRead(view, options.certname),
  })
  const answer = answerOf(changes)
  const all = answerOf(runs)
  const amongRuns = all === null ? '' : `in ${counted(all.runs, 'run')}, `
  const of = subject(options)
  const count = answer === null || options.cursor !== null ? 'Changes' : countOf(answer)
  const found = `${count}${of === '' ? '' : ` of ${of}`}`
  return {
    title: `${found} · ${span.name}`,
    inTitle: [...OF_SPAN, 'resource', 'class', 'file', 'node'],
    scope: scopeOf(everywhere, span),
    body: html`${title(
      html`${found} <span class="muted">${amongRuns}${span.name}</span>`,
      '',
      exports(visit, answer?.query ?? null, { span }),
    )}
    ${kindTabs(visit, options.kind)}
    ${filters(visit, subjectForm(visit))}${asResource(visit)}${panel(visit, drift, (found) => (found === null ? '' : driftList(visit, by, found)))}${panel(
      visit,
      changes,
      ({ items, next, back_to: backTo }) => {
        if (items.length > 0) {
          const back =
            items.length < SHOWN && next !== null ? html`, back to ${exactly(backTo)}` : ''
          const note = html`${counted(items.length, 'change')}${back}`
          return html`<section class="card">
            ${changeTable(visit, items)}${pager(visit, next, note)}
          </section>`
        }
        return nothing(
          next === null
            ? html`${unknownEnvironment(visit, answerOf(everywhere)?.environments ?? null)}No change
                matches (${amongRuns}${span.name}).
                <a href="${address('/console/changes', { since: 'all' })}">All changes</a>`
            : html`No change matches back to ${exactly(backTo)}.
                <a href="${changed(visit.url, { cursor: next })}" rel="next"
                  >Search further back</a
                >`,
        )
      },
    )}${historyNote(answerOf(reach), changesCommand(options))}`,
  }
}

/** Asks the history for the changes of the page's subject. */
function changesCommand({ resource, class: className, file, certname }: ChangeListOptions): string {
  const named = [
    resource && `resource_type || '[' || resource_title || ']' = ${sqlQuoted(resource)}`,
    className && `containing_class = ${sqlQuoted(className)}`,
    file && `file = ${sqlQuoted(file)}`,
    certname && `certname = ${sqlQuoted(certname)}`,
  ].filter(Boolean)
  const where = named.length === 0 ? '' : ` where ${named.join(' and ')}`
  return `${commandText('history', 'sql')} "select timestamp, certname, resource_type, resource_title, message from events${where} order by 1"`
}

/** Changed, pending and drift are lists of the same things: resources, values and nodes. */
const kindTabs = ({ url }: Visit, kind: Kind): Html =>
  tabs(
    'Kind of change',
    (Object.keys(KIND_NAMES) as Kind[]).map((name) => [
      changed(url, { kind: name }),
      KIND_NAMES[name],
      name === kind,
    ]),
  )

/** What noop keeps from happening, by resource; the events of one are listed as other changes are. */
async function showPending(visit: Visit, view: View): Promise<Page> {
  const { pending, everywhere } = await panels(visit, {
    pending: pendingChangesRead(view, PENDING_SHOWN),
    everywhere: everywhereRead(view),
  })
  return {
    title: 'Pending changes (noop)',
    inTitle: ['kind'],
    scope: scopeOf(everywhere),
    body: html`${title('Pending changes', 'What the latest run of each node would have changed, had it not run in noop.')}
    ${kindTabs(visit, 'noop')} ${filters(visit, subjectForm(visit))}
    ${panel(visit, pending, (found) => (found.resources === 0 ? nothing('No pending changes: no noop run would change anything.') : pendingList(visit, found)))}`,
  }
}

const subjectForm = (visit: Visit): Html =>
  html`<form class="asks" action="/console/changes">
    ${textField(visit, 'resource', 'Resource', 'File[/etc/motd]')}${textField(visit, 'class', 'Class', 'Web::Install')}${textField(visit, 'file', 'Manifest', 'full path')}${keep(visit, ['kind', 'node', ...OF_RUNS])}<button>
      Filter
    </button>
  </form>`

/** A path outside of manifests is more likely that of a managed file. */
function asResource({ url }: Visit): Html {
  const file = url.searchParams.get('file')
  if (!file?.startsWith('/') || file.endsWith('.pp')) return ''
  const resource = `File[${file}]`
  return nothing(
    html`${file} is not a manifest. Changes of this file are under the resource
      <a href="${changed(url, { file: null, resource })}">${resource}</a>.`,
  )
}

function changeTable({ now, settings }: Visit, items: readonly ChangeRow[]): Html {
  const nameOf = nodeNames(items)
  return table<ChangeRow>(items, [
    [
      'Time',
      't',
      ({ report, timestamp }) =>
        html`<a href="${reportAddress(report)}">${when(timestamp, now)}</a>`,
    ],
    ['What', 'state', what],
    [
      'Resource',
      'name long',
      ({ resource_type: type, resource_title: title, property }) =>
        html`${type}[${title}] <small>${property ?? ''}</small>`,
    ],
    [
      'From → to',
      'mono value last',
      ({ old_value: old, new_value: value }) =>
        old === null && value === null ? '' : html`${briefValue(old)} → ${briefValue(value)}`,
    ],
    [
      'Node',
      'broad last',
      ({ certname, environment }) => html`${nameOf(certname)} <small>${environment}</small>`,
    ],
    [
      'Where',
      'broad last',
      (change) =>
        html`<small>${change.containing_class ?? ''}</small>
          <span class="mono">${codeLink(settings.CODE_URL, change)}</span>`,
    ],
    'code_version',
  ])
}

function what(change: ChangeRow): Html {
  const [glyph, hue, word] = lookOf(change)
  return html`<span class="m ${hue}">${icon(glyph, shownKindOf(change) === 'noop')}${word}</span>`
}

export const rows = (visit: Visit) =>
  exportedRows(visit, DEFAULT_SPAN, (view, cursor) =>
    changeListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
  )
