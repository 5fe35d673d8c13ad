/** Searches everything that has a name. A single hit redirects to its page. */

import { readOne } from '../../store/batch-read.ts'
import { searchRead, type SearchResult } from '../../insight/search.ts'
import { address, causeAddress, nodeAddress, reportAddress } from '../address.ts'
import { each, html } from '../html.ts'
import type { Page, PageRoute } from '../page.ts'
import { nothing } from '../parts/list.ts'
import { resolveView, type Visit } from '../visit.ts'
import { counted } from '../format.ts'

type Hit = SearchResult['hits'][number]

const GROUPS: Readonly<
  Record<Hit['group'], { readonly name: string; readonly href: (id: string) => string }>
> = {
  node: { name: 'Nodes', href: nodeAddress },
  report: { name: 'Reports', href: reportAddress },
  cause: { name: 'Causes', href: (id) => causeAddress(id, { since: 'all' }) },
  class: { name: 'Classes', href: (id) => address('/console/changes', { class: id }) },
  resource: { name: 'Resources', href: (id) => address('/console/changes', { resource: id }) },
  file: { name: 'Files', href: (id) => address('/console/changes', { file: id }) },
}

const MOST = 20

async function show(visit: Visit): Promise<Page> {
  const text = (visit.url.searchParams.get('q') ?? '').trim()
  if (text === '') {
    return {
      title: 'Search',
      body: html`<h1>Search</h1>
        ${nothing('Enter part of a node’s name, class, resource, file or message, or the start of a report’s hash.')}`,
    }
  }
  const { view } = await resolveView(visit, 'all')
  const { hits } = await readOne(visit.database, searchRead(view, { text, limit: MOST }))
  const exact = hits.filter((hit) => hit.exact)
  const only = exact.length === 1 ? exact[0] : hits.length === 1 ? hits[0] : undefined
  if (only) return { title: only.label, body: '', redirect: GROUPS[only.group].href(only.id) }
  const groups = Object.entries(Object.groupBy(hits, ({ group }) => group)) as [
    Hit['group'],
    Hit[],
  ][]
  const found =
    hits.length === 0
      ? 'Nothing found'
      : `${hits.length === MOST ? 'First ' : ''}${counted(hits.length, 'hit')}`
  return {
    title: `${found} · ${text}`,
    inTitle: ['q'],
    body: html`<h1>
        ${found}
        <span class="muted">for ${text}</span>
      </h1>
      ${
        hits.length === 0
          ? nothing(html`No names match. <a href="/console/query">Query in PQL</a>`)
          : ''
      }${each(
        groups,
        ([group, found]) =>
          html`<section>
            <h2>${GROUPS[group].name}</h2>
            <ul class="bare hits list">
              ${each(
                found,
                ({ id, label }) => html`<li><a href="${GROUPS[group].href(id)}">${label}</a></li>`,
              )}
            </ul>
          </section>`,
      )}`,
  }
}

export const searchPage: PageRoute = { path: '/search', show }
