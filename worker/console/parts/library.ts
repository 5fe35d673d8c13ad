/** What is below the query form: a form that saves the query, examples, and the way to what is saved. */

import type { SavedQuery } from '../../insight/assist/query-library.ts'
import { queryAddress } from '../address.ts'
import { counted } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Panel, Visit } from '../visit.ts'
import { card, panel } from './list.ts'

/** @param query the current query, which can be saved; null if there is none */
export const library = (
  visit: Visit,
  saved: Panel<readonly SavedQuery[]>,
  query: string | null,
): Html =>
  html`${panel(visit, saved, (all) => {
    const { operator } = visit.reader
    const own = all.filter(({ preset }) => !preset).length
    return html`${operator && query !== null && !all.some((one) => one.query === query) ? saving(query) : NONE}
    ${card(
      { name: 'Examples' },
      html`<ul class="bare list hits">
          ${each(
            all.filter(({ preset }) => preset),
            (one) => html`<li>${queryLink(one)}</li>`,
          )}
        </ul>
        ${own === 0 ? NONE : html`<p class="foot"><a href="/console/saved">${counted(own, 'saved query', 'saved queries')}</a></p>`}`,
    )}`
  })}`

/** The title of a query, which leads to its rows. */
const queryLink = ({ title, query }: Pick<SavedQuery, 'title' | 'query'>): Html =>
  html`<a href="${queryAddress(query)}">${title}</a>`

const saving = (query: string): Html =>
  html`<form class="row" method="post" action="/console/queries">
    <input type="hidden" name="query" value="${query}" /><label
      >Save this query as <input name="title" required maxlength="200" autocomplete="off" /></label
    ><button name="do" value="save">Save</button>
  </form>`
