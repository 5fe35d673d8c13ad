/** Cards of lists and tables: their rows, or why there are none. */

import { nearest } from '../../lib/nearest.ts'
import { changed } from '../address.ts'
import { html, NONE, type Content, type Html } from '../html.ts'
import type { PageScope } from '../page-scope.ts'
import type { Panel, Visit } from '../visit.ts'
import { card, nothing, pager, panel, type CardHead } from './list.ts'
import { table } from './table.ts'

/** A card with a table. Without rows, it says `none`, or is left out where that is empty. */
export const tableCard = <Row extends object>(
  head: CardHead,
  rows: readonly Row[],
  columns: Parameters<typeof table<Row>>[1],
  none: Content = NONE,
): Html => {
  if (rows.length > 0) return card(head, table<Row>(rows, columns))
  return none === NONE ? NONE : card(head, nothing(none))
}

export interface ListLooks<List> {
  readonly scope: PageScope
  readonly found: Panel<List>
  readonly show: (list: List) => Html
  /** Beside the pager: how many of how many; empty where that is plain. */
  readonly note: (list: List) => Content
  /** Where the list is empty. */
  readonly none: (list: List) => Content
}

export const listCard = <
  List extends { readonly items: readonly object[]; readonly next?: string | null },
>(
  visit: Visit,
  { scope, found, show, note, none }: ListLooks<List>,
): Html =>
  panel(visit, found, (list) => {
    if (list.items.length === 0)
      return nothing(html`${unknownEnvironment(visit, scope.environments)}${none(list)}`)
    const { next = null } = list
    const foot = note(list)
    return html`<section class="card">
      ${show(list)}${foot === '' && next === null ? '' : pager(visit, next, foot)}
    </section>`
  })

/** What the reader may have meant by an environment that no node is in; empty where that is not known. */
export function unknownEnvironment({ url }: Visit, environments: PageScope['environments']): Html {
  const chosen = url.searchParams.get('env')
  const names = (environments ?? []).flatMap(({ environment }) => environment ?? [])
  if (!chosen || environments === null || names.includes(chosen)) return ''
  // A short form is further from the name than a mistyped one.
  const begun = names.filter((name) => name.startsWith(chosen))
  const meant = begun.length === 1 ? begun[0]! : nearest(chosen, names)
  return html`No node is in the environment
    ${chosen}.${meant === null ? '' : html` Did you mean <a href="${changed(url, { env: meant })}">${meant}</a>?`}
    <a href="${changed(url, { env: null })}">All environments</a> `
}
