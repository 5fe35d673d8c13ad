/** The page of changes, for audits: when a resource, class, manifest or node changed, and by which code. */

import {
  changeListRead,
  CHANGE_KINDS,
  type ChangeRow,
  type ChangeList,
  type ChangeListOptions,
} from '../../insight/reports/change-list.ts'
import { historyReachRead } from '../../insight/history-reach.ts'
import { runCountsRead } from '../../insight/timeline.ts'
import {
  address,
  changed,
  chosenOf,
  OF_NODES,
  OF_RUNS,
  OF_SPAN,
  reportAddress,
} from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { each, html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { columns } from '../parts/plain-table.ts'
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
  selectField,
  textField,
  title,
  type Choice,
} from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { exactly, when } from '../parts/time.ts'
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
import { short } from '../../lib/code-version.ts'

const SHOWN = 100
const EXPORTED = 500

const KIND_NAMES: Readonly<Record<(typeof CHANGE_KINDS)[number], string>> = {
  intentional: 'changed',
  corrective: 'drift corrected',
  noop: 'pending (noop)',
  failure: 'failed',
  any: 'any',
}

function optionsOf(visit: Visit, limit: number): ChangeListOptions {
  const { searchParams } = visit.url
  const text = (name: string): string | null => searchParams.get(name) || null
  return {
    resource: text('resource'),
    class: text('class'),
    file: text('file'),
    certname: text('node'),
    kind: chosen(searchParams, 'kind', CHANGE_KINDS, 'any'),
    cursor: text('cursor'),
    limit,
    terms: nodeTerms(visit, 'environment'),
  }
}

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
  const { changes, runs, everywhere, reach } = await panels(visit, {
    reach: historyReachRead(view),
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
      html`<a class="btn" href="${address('/console/pending', chosenOf(visit.url, OF_NODES))}"
          >Pending changes</a
        >${exports(visit, answer?.query ?? null, { span })}`,
    )}
    ${filters(
      visit,
      selectField(
        visit,
        'kind',
        'Kind',
        CHANGE_KINDS.toReversed().map((name): Choice => [name, KIND_NAMES[name]]),
        'any',
      ),
      subjectForm(visit),
    )}${asResource(visit)}${panel(visit, changes, ({ items, next, back_to: backTo }) => {
      if (items.length > 0) {
        const back = items.length < SHOWN && next !== null ? html`, back to ${exactly(backTo)}` : ''
        const note = html`${counted(items.length, 'change')}${back}`
        return html`<section class="card">
          ${table(visit, items)}${pager(visit, next, note)}
        </section>`
      }
      return nothing(
        next === null
          ? html`${unknownEnvironment(visit, answerOf(everywhere)?.environments ?? null)}No change
              matches (${amongRuns}${span.name}).
              <a href="${address('/console/changes', { since: 'all' })}">All changes</a>`
          : html`No change matches back to ${exactly(backTo)}.
              <a href="${changed(visit.url, { cursor: next })}" rel="next">Search further back</a>`,
      )
    })}${historyNote(answerOf(reach), changesCommand(options))}`,
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
  return `npm run history -- sql "select timestamp, certname, resource_type, resource_title, message from events${where} order by 1"`
}

const subjectForm = (visit: Visit): Html =>
  html`<form class="asks" action="/console/changes">
    ${textField(visit, 'resource', 'Resource', 'File[/etc/motd]')}${textField(visit, 'class', 'Class', 'Web::Install')}${textField(visit, 'file', 'Manifest', 'full path')}${textField(visit, 'node', 'Node', 'full name')}${keep(visit, ['kind', ...OF_RUNS])}<button>
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

function table({ now, settings }: Visit, items: readonly ChangeRow[]): Html {
  const nameOf = nodeNames(items)
  return html`<table class="list cards">
    ${columns('Time', 'What', 'Resource', 'From → to', 'Node', 'Where', 'Code')}
    <tbody>
      ${each(
        items,
        (change) =>
          html`<tr>
            <td class="t">
              <a href="${reportAddress(change.report)}">${when(change.timestamp, now)}</a>
            </td>
            <td class="state">${what(change)}</td>
            <th scope="row" class="name long">
              ${change.resource_type}[${change.resource_title}]
              <small>${change.property ?? ''}</small>
            </th>
            <td class="mono value last">
              ${change.old_value === null && change.new_value === null ? '' : html`${briefValue(change.old_value)} → ${briefValue(change.new_value)}`}
            </td>
            <td class="broad last">
              ${nameOf(change.certname)}
              <small>${change.environment}</small>
            </td>
            <td class="broad last">
              <small>${change.containing_class ?? ''}</small>
              <span class="mono">${codeLink(settings.CODE_URL, change)}</span>
            </td>
            <td class="code hide">
              ${change.code_version === null ? '' : short(change.code_version)}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function what(change: ChangeRow): Html {
  const [glyph, hue, word] = lookOf(change)
  return html`<span class="m ${hue}">${icon(glyph, shownKindOf(change) === 'noop')}${word}</span>`
}

export const rows = (visit: Visit) =>
  exportedRows(visit, DEFAULT_SPAN, (view, cursor) =>
    changeListRead(view, { ...optionsOf(visit, EXPORTED), cursor }),
  )
