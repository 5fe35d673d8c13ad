/** The kinds of names that a search finds: their headings, and the page of each hit. */

import type { SearchResult } from '../../insight/search.ts'
import { address, causeAddress, deployAddress, nodeAddress, reportAddress } from '../address.ts'
import { number } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { card } from './list.ts'

export type SearchHit = SearchResult['hits'][number]
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

export const hitAddress = ({ group, id }: SearchHit): string => GROUPS[group].href(id)

/** What stands behind a name that alone does not say which one it is. */
const noteOf = ({ group, id }: SearchHit): string =>
  group === 'code' ? deployOf(id).environment : group === 'report' ? id.slice(0, 8) : ''

/** Hits under the heading of their kind. @param itemOf draws an item around the link */
export function hitGroups(hits: readonly SearchHit[]): readonly {
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
export const hitLink = (hit: SearchHit, attributes: Html = ''): Html => {
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
