/** The page of saved views: pages with their scope and filters, which everyone sees and operators save. */

import { readOne } from '../../store/batch-read.ts'
import { savedViewsRead, type SavedView } from '../../store/saved-views.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, nothing, title } from '../parts/list.ts'
import { returnPath } from '../sign-in.ts'
import type { Visit } from '../visit.ts'

/** @param refusal why a form of the page was refused */
export async function showViews(visit: Visit, refusal: string | null = null): Promise<Page> {
  const views = await readOne(visit.database, savedViewsRead())
  const { operator } = visit.reader
  const of = visit.url.searchParams.get('of')
  return {
    title: 'Views',
    timeless: true,
    body: html`${title('Views', 'Pages with their environment, time, filters and order, saved under a title for everyone.')}
    ${refusal === null ? NONE : html`<div class="note failed" role="alert"><p>${refusal}</p></div>`}
    ${operator && of !== null ? saving(visit, returnPath(of)) : NONE}
    ${card(
      { name: 'Saved views' },
      views.length === 0
        ? nothing('No view is saved. “Save this view” is in the menu of every page.')
        : html`<ul class="bare list hits">
            ${each(views, (view) => row(view, operator))}
          </ul>`,
    )}`,
  }
}

const saving = ({ url }: Visit, address: string): Html =>
  card(
    { name: 'Save a view', note: `${address}: everyone who may read sees title and address.` },
    html`<form class="row in" method="post" action="/console/views">
      <input type="hidden" name="address" value="${address}" /><label
        >Title
        <input
          name="title"
          value="${url.searchParams.get('title') ?? ''}"
          required
          maxlength="200"
          autocomplete="off"
          placeholder="Failing web nodes" /></label
      ><button class="primary" name="do" value="save">Save view</button>
    </form>`,
  )

const row = ({ title: name, address }: SavedView, operator: boolean): Html =>
  html`<li>
    <a href="${address}">${name}</a> <small class="muted">${address}</small>${
      operator
        ? html`<details>
            <summary class="muted">Delete</summary>
            <form class="row" method="post" action="/console/views">
              <input type="hidden" name="title" value="${name}" />
              <button class="danger" name="do" value="delete">Delete this view for everyone</button>
            </form>
          </details>`
        : NONE
    }
  </li>`

export const show = (visit: Visit): Promise<Page> => showViews(visit)
