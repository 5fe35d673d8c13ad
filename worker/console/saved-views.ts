/** Saves and deletes views by forms, so that no script is needed. */

import type { Call } from '../http/context.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import { Denied, QueryError } from '../lib/errors.ts'
import { deleteView, MOST_VIEWS, saveView } from '../store/saved-views.ts'
import { address } from './address.ts'
import { NONE } from './html.ts'
import type { Page } from './page.ts'
import { showSaved } from './pages/saved.ts'
import { readForm, returnPath } from './sign-in.ts'
import type { Visit } from './visit.ts'

const LONGEST_TITLE = 200
const LONGEST_ADDRESS = 4000

/**
 * Handles a form of the page of views and redirects to it. Errors are shown there.
 *
 * @throws Denied for readers who may not change what all readers see
 */
export async function changeViews(c: Call, visit: Visit): Promise<Page> {
  requireOwnOrigin(c)
  if (!visit.reader.operator)
    throw new Denied('forbidden', 'Saved views need the scope operate without restrictions.')
  const form = await readForm(c)
  const field = (name: string): string => form.get(name)?.trim() ?? ''
  const [title, saved] = [field('title'), field('address')]
  const database = c.var.databases.primary()
  try {
    if (field('do') === 'delete') await deleteView(database, title)
    else {
      if (title === '' || title.length > LONGEST_TITLE)
        throw new QueryError(`A view needs a title of at most ${LONGEST_TITLE} characters.`)
      if (saved.length > LONGEST_ADDRESS || saved !== returnPath(saved))
        throw new QueryError(
          `A view is the address of a page of this console, of at most ${LONGEST_ADDRESS} characters.`,
        )
      if (!(await saveView(database, { title, address: saved, saved: visit.now })))
        throw new QueryError(`There are ${MOST_VIEWS} views already, the maximum.`)
    }
    return { title: 'Saved', body: NONE, redirect: '/console/saved' }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const url = new URL(address('/console/saved', { of: saved, title }), visit.url)
    return {
      ...(await showSaved({ ...visit, url, database }, error.message)),
      status: 'bad request',
    }
  }
}
