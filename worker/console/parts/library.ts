/** What is below the query form: a form that saves the query, examples, and this browser's history. */

import type { SavedQuery } from '../../insight/assist/query-library.ts'
import { queryAddress } from '../address.ts'
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
      return html`${operator && query !== null && !all.some((one) => one.query === query) ? saving(query) : NONE}
      ${card(
        { name: 'Examples' },
        html`<ul class="bare list hits">
          ${each(
            all.filter(({ preset }) => preset),
            (one) => html`<li>${link(one)}</li>`,
          )}
        </ul>`,
      )}`
    })}
    <section class="card history" hidden>
      <header><h2>History</h2></header>
      <ul class="bare list hits"></ul>
    </section>`

const link = ({ title, query }: SavedQuery): Html =>
  html`<a href="${queryAddress(query)}">${title}</a>`

const saving = (query: string): Html =>
  html`<form class="row" method="post" action="/console/queries">
    <input type="hidden" name="query" value="${query}" /><label
      >Save this query as <input name="title" required maxlength="200" autocomplete="off" /></label
    ><button name="do" value="save">Save</button>
  </form>`
