/** The lists below the query form: saved queries, examples, and this browser's history. */

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
      const own = all.filter(({ preset }) => !preset)
      const { operator } = visit.reader
      return html`${operator && query !== null && !all.some((one) => one.query === query) ? saving(query) : NONE}${
        own.length === 0
          ? NONE
          : card(
              { name: 'Saved queries' },
              html`<ul class="bare list hits">
                ${each(own, (one) => html`<li>${link(one)}${operator ? editing(one) : NONE}</li>`)}
              </ul>`,
            )
      }
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

const editing = ({ name, title }: SavedQuery): Html =>
  html`<details>
    <summary class="muted">Edit</summary>
    <form class="row" method="post" action="/console/queries">
      <input type="hidden" name="name" value="${name}" /><label
        >Title
        <input name="title" value="${title}" required maxlength="200" autocomplete="off" /></label
      ><button name="do" value="rename">Rename</button
      ><button name="do" value="delete">Delete</button>
    </form>
  </details>`
