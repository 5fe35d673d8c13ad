/** What the list of changes can be narrowed to: its tabs, the resource, class or manifest, and the same question to the history. */

import {
  CHANGE_KINDS,
  typeAndTitleOf,
  type ChangeListOptions,
} from '../../insight/reports/change-list.ts'
import type { HistoryReach } from '../../store/history.ts'
import { changed, filled, resourceYearsAddress } from '../address.ts'
import { html, type Html } from '../html.ts'
import { chosen } from '../states.ts'
import { nodeTerms, type Visit } from '../visit.ts'
import { historyNote, sqlQuoted } from './history-reach.ts'
import { filters, keepOthers, nothing, tabs, textField } from './list.ts'

type Kind = (typeof CHANGE_KINDS)[number]

/** The tabs of the page, in their order. */
const KIND_NAMES: Readonly<Record<Kind, string>> = {
  intentional: 'Changed',
  noop: 'Pending',
  corrective: 'Drift',
  failure: 'Failed',
  any: 'All',
}

/** The options of the read of the list. */
export function changeOptions(visit: Visit, limit: number): ChangeListOptions {
  const { searchParams } = visit.url
  const text = (name: string): string | null => filled(searchParams, name)
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
export const subjectOf = ({
  resource,
  class: className,
  file,
  certname,
}: ChangeListOptions): string =>
  [
    resource,
    className && `class ${className}`,
    file && `manifest ${file}`,
    certname && `node ${certname}`,
  ]
    .filter(Boolean)
    .join(' · ')

/** @param kind the tab that is shown */
export const changeFilters = (visit: Visit, kind: Kind): Html =>
  html`${kindTabs(visit, kind)} ${filters(subjectForm(visit))}${asResource(visit)}`

/** How far back the database reaches, and how the history is asked for the changes of the page's subject. */
export function changesInHistory(
  { history }: Visit,
  reach: HistoryReach | null,
  { resource, class: className, file, certname }: ChangeListOptions,
): Html {
  const years =
    history !== null && resource !== null && typeAndTitleOf(resource).title !== null
      ? html`<p class="foot">
          <a href="${resourceYearsAddress(resource, certname)}">Years of ${resource}</a>
        </p>`
      : ''
  const where = [
    resource && `resource_type || '[' || resource_title || ']' = ${sqlQuoted(resource)}`,
    className && `containing_class = ${sqlQuoted(className)}`,
    file && `file = ${sqlQuoted(file)}`,
    certname && `certname = ${sqlQuoted(certname)}`,
  ].flatMap((condition) => condition || [])
  const columns = 'timestamp, certname, resource_type, resource_title, message'
  return html`${years}${historyNote(reach, { table: 'events', columns, where })}`
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

const subjectForm = (visit: Visit): Html =>
  html`<form class="asks" action="/console/changes">
    ${textField(visit, 'resource', 'Resource', 'File[/etc/motd]')}${textField(visit, 'class', 'Class', 'Web::Install')}${textField(visit, 'file', 'Manifest', 'full path')}${keepOthers(visit, ['resource', 'class', 'file'])}<button>
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
