/** The kinds of names that a search finds: their headings, and the page of each hit. */

import { searchRead, type SearchResult } from '../../insight/search.ts'
import { readOne } from '../../store/batch-read.ts'
import { address, causeAddress, deployAddress, nodeAddress, reportAddress } from '../address.ts'
import { number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { resolveView, type Visit } from '../visit.ts'
import { card } from './list.ts'

type SearchHit = SearchResult['hits'][number]
type GroupName = SearchHit['group']

const GROUPS: Readonly<
  Record<GroupName, { readonly name: string; readonly href: (id: string) => string }>
> = {
  node: { name: 'Nodes', href: nodeAddress },
  report: { name: 'Reports', href: reportAddress },
  cause: { name: 'Causes', href: (id) => causeAddress(id, { since: 'all' }) },
  code: { name: 'Code versions', href: (id) => deployAddress(deployOf(id)) },
  class: { name: 'Classes', href: (id) => address('/console/changes', { class: id }) },
  resource: { name: 'Resources', href: (id) => address('/console/changes', { resource: id }) },
  file: { name: 'Manifests', href: (id) => address('/console/changes', { file: id }) },
}

/** The parts of the id of a code version. Names of environments have no slash. */
const deployOf = (id: string) => ({
  environment: id.slice(0, id.indexOf('/')),
  code_version: id.slice(id.indexOf('/') + 1),
})

const hitAddress = ({ group, id }: SearchHit): string => GROUPS[group].href(id)

/** What stands behind a name that alone does not say which one it is. */
const noteOf = ({ group, id }: SearchHit): string =>
  group === 'code' ? deployOf(id).environment : group === 'report' ? id.slice(0, 8) : ''

/** Hits under the heading of their kind. */
function hitGroups(hits: readonly SearchHit[]): readonly {
  readonly name: string
  readonly items: readonly SearchHit[]
}[] {
  const groups = Object.groupBy(hits, ({ group }) => group)
  return Object.entries(groups).map(([group, items]) => ({
    name: GROUPS[group as GroupName].name,
    items: items ?? [],
  }))
}

/** A link to what was found. */
const hitLink = (hit: SearchHit, attributes: Html = ''): Html => {
  const note = noteOf(hit)
  return html`<a href="${hitAddress(hit)}" ${attributes}
    >${hit.label}${note === '' ? '' : html` <small>${note}</small>`}</a
  >`
}

export const hitSections = (hits: readonly SearchHit[]): Html =>
  html`${each(hitGroups(hits), ({ name, items }) =>
    card(
      { name, note: number(items.length) },
      html`<ul class="bare hits list${items.length > 12 ? ' many' : ''}">
        ${each(items, (hit) => html`<li>${hitLink(hit)}</li>`)}
      </ul>`,
    ),
  )}`

/** The text that is searched for. */
export const searchedText = ({ url }: Visit): string => (url.searchParams.get('q') ?? '').trim()

const MOST_SUGGESTED = 12

/** The list below the search field, as a part of a page for its script. Empty without hits. */
export async function suggestions(visit: Visit): Promise<Html> {
  const text = searchedText(visit)
  const { view } = await resolveView(visit, 'all')
  const { hits } = await readOne(visit.database, searchRead(view, { text, limit: MOST_SUGGESTED }))
  let number = 0
  return html`${each(
      hitGroups(hits),
      ({ name, items }) =>
        html`<div role="group" aria-label="${name}">
          <b aria-hidden="true">${name}</b>
          ${each(items, (hit) => hitLink(hit, html` role="option" tabindex="-1" id="found-${number++}"`))}
        </div>`,
    )}<a
      role="option"
      tabindex="-1"
      id="found-${number}"
      href="${address('/console/search', { q: text })}"
      >Search log lines for <q>${text}</q></a
    >`
}
