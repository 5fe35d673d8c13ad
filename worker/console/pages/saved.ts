/** What was saved for everyone: pages with their scope and filters, groups of nodes, and queries. Operators save and delete. */

import { queryLibraryRead } from '../../insight/assist/query-library.ts'
import { readAll } from '../../store/batch-read.ts'
import { savedViewsRead, type SavedView } from '../../store/saved-views.ts'
import { queryAddress } from '../address.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, nothing, title } from '../parts/list.ts'
import { returnPath } from '../sign-in.ts'
import type { Visit } from '../visit.ts'

/** Something that is saved, and the form by which it is deleted. */
interface Saved {
  readonly title: string
  readonly href: string
  readonly note: string
  readonly form: '/console/views' | '/console/queries'
  /** The field that names it in the form. */
  readonly field: readonly [name: string, value: string]
}

export const show = (visit: Visit): Promise<Page> => showSaved(visit)

/** @param refusal why a form of the page was refused */
export async function showSaved(visit: Visit, refusal: string | null = null): Promise<Page> {
  const { views, queries } = await readAll(visit.database, {
    views: savedViewsRead(),
    queries: queryLibraryRead(),
  })
  const { operator } = visit.reader
  const of = visit.url.searchParams.get('of')
  const own = queries.filter(({ preset }) => !preset)
  return {
    title: 'Saved',
    timeless: true,
    body: html`${title('Saved', 'Pages with their environment, nodes, time and filters, and queries, saved under a title for everyone.')}
    ${refusal === null ? NONE : html`<div class="note failed" role="alert"><p>${refusal}</p></div>`}
    ${operator && of !== null ? saving(visit, returnPath(of)) : NONE}
    ${list('Groups of nodes', views.filter(isGroup).map(ofView), operator)}
    ${list('Views', views.filter((view) => !isGroup(view)).map(ofView), operator)}
    ${list(
      'Queries',
      own.map(({ name, title, query }) => ({
        ...{ title, href: queryAddress(query), note: '' },
        ...{ form: '/console/queries', field: ['name', name] },
      })),
      operator,
    )}
    ${
      views.length + own.length === 0
        ? nothing(
            'Nothing is saved. “Save this view” is in the menu of every page; saved on Nodes, a pattern of names is a group.',
          )
        : NONE
    }`,
  }
}

/** A list of nodes by a pattern. */
const isGroup = ({ address }: SavedView): boolean => /^\/console\/nodes\?(.*&)?nodes=/.test(address)

const ofView = ({ title, address }: SavedView): Saved => ({
  ...{ title, href: address, note: address },
  ...{ form: '/console/views', field: ['title', title] },
})

const list = (name: string, all: readonly Saved[], operator: boolean): Html =>
  all.length === 0
    ? NONE
    : card(
        { name },
        html`<ul class="bare list hits">
          ${each(
            all,
            (one) =>
              html`<li>
                <a href="${one.href}">${one.title}</a> <small>${one.note}</small>
                ${operator ? deleting(one) : NONE}
              </li>`,
          )}
        </ul>`,
      )

const deleting = ({ form, field: [name, value] }: Saved): Html =>
  html`<details>
    <summary class="muted">Delete</summary>
    <form class="row" method="post" action="${form}">
      <input type="hidden" name="${name}" value="${value}" />
      <button class="danger" name="do" value="delete">Delete this for everyone</button>
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
