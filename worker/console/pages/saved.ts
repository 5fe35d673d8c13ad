/** What was saved for everyone: pages with their scope and filters, groups of nodes, and queries. Operators save and delete. */

import { queryLibraryRead, type SavedQuery } from '../../insight/assist/query-library.ts'
import { readAll } from '../../store/batch-read.ts'
import { savedViewsRead, type SavedView } from '../../store/saved-views.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { queryLink } from '../parts/library.ts'
import { card, nothing, title } from '../parts/list.ts'
import { returnPath } from '../sign-in.ts'
import type { Visit } from '../visit.ts'

/** @param refusal why a form of the page was refused */
export async function showSaved(visit: Visit, refusal: string | null = null): Promise<Page> {
  const { views, queries } = await readAll(visit.database, {
    views: savedViewsRead(),
    queries: queryLibraryRead(),
  })
  const { operator } = visit.reader
  const of = visit.url.searchParams.get('of')
  return {
    title: 'Saved',
    timeless: true,
    body: html`${title('Saved', 'Pages with their environment, nodes, time and filters, and queries, saved under a title for everyone.')}
    ${refusal === null ? NONE : html`<div class="note failed" role="alert"><p>${refusal}</p></div>`}
    ${operator && of !== null ? saving(visit, returnPath(of)) : NONE}
    ${list('Groups of nodes', views.filter(isGroup), operator)}${list(
      'Views',
      views.filter((view) => !isGroup(view)),
      operator,
    )}
    ${queryList(
      queries.filter(({ preset }) => !preset),
      operator,
    )}
    ${
      views.length === 0 && queries.every(({ preset }) => preset)
        ? nothing(
            'Nothing is saved. “Save this view” is in the menu of every page; saved on Nodes, a pattern of names is a group.',
          )
        : NONE
    }`,
  }
}

/** A list of nodes by a pattern. */
const isGroup = ({ address }: SavedView): boolean => /^\/console\/nodes\?(.*&)?nodes=/.test(address)

const list = (name: string, views: readonly SavedView[], operator: boolean): Html =>
  views.length === 0
    ? NONE
    : card(
        { name },
        html`<ul class="bare list hits">
          ${each(views, (view) => row(view, operator))}
        </ul>`,
      )

const queryList = (queries: readonly SavedQuery[], operator: boolean): Html =>
  queries.length === 0
    ? NONE
    : card(
        { name: 'Queries' },
        html`<ul class="bare list hits">
          ${each(
            queries,
            ({ name, title, query }) =>
              html`<li>
                ${queryLink({ title, query })}${operator ? editing(name, title) : NONE}
              </li>`,
          )}
        </ul>`,
      )

const editing = (name: string, title: string): Html =>
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

export const show = (visit: Visit): Promise<Page> => showSaved(visit)
