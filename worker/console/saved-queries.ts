/** Saves, renames and deletes queries by forms, so that no script is needed. */

import { createHash } from 'node:crypto'
import type { Call } from '../http/context.ts'
import { dropQuery, keepQuery, LONGEST_QUERY } from '../http/insights/saved-queries.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import { readOne } from '../store/batch-read.ts'
import { queryLibraryRead, type SavedQuery } from '../insight/assist/query-library.ts'
import { Denied, NotFound, QueryError } from '../lib/errors.ts'
import type { Database } from '../store/database.ts'
import { address } from './address.ts'
import { NONE } from './html.ts'
import type { Page } from './page.ts'
import { showQuery } from './pages/query.ts'
import { showSaved } from './pages/saved.ts'
import { readForm } from './sign-in.ts'
import type { Visit } from './visit.ts'

interface Change {
  readonly database: Database
  readonly saved: readonly SavedQuery[]
  /** A field of the form; empty if it was not sent. */
  readonly field: (name: string) => string
}

/** The value of a form's button → its action, which returns the query to show next. */
const CHANGES: Readonly<Record<string, (change: Change) => Promise<string>>> = {
  save: async ({ database, saved, field }) => {
    const [title, query] = [field('title').trim(), field('query')]
    const name = nameOf(title)
    if (saved.some((one) => one.name === name)) {
      throw new QueryError(
        `There is a query “${title}” already. Delete it first, or choose another title.`,
      )
    }
    await keepQuery(database, { name, title, query })
    return query
  },
  rename: async ({ database, saved, field }) => {
    const found = saved.find(({ name }) => name === field('name'))
    if (!found) throw new NotFound('query', field('name'))
    const { name, query } = found
    await keepQuery(database, { name, title: field('title').trim(), query })
    return ''
  },
  delete: async ({ database, field }) => {
    await dropQuery(database, field('name'))
    return ''
  },
}

/** A name for addresses from a title. A title with other than ASCII characters gets a digest instead. */
function nameOf(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const name = plain.replace(/^-/, '').slice(0, 64).replace(/-$/, '')
  return name !== '' && !/[^\x00-\x7f]/.test(title)
    ? name
    : `query-${createHash('sha1').update(title).digest('hex').slice(0, 12)}`
}

/**
 * Handles a form that saves, renames or deletes a query, and redirects to the page where it shows. Errors are shown on the
 * page of the form: Query saves, and Saved renames and deletes.
 *
 * @throws Denied for readers who may not change saved queries
 */
export async function changeSaved(c: Call, visit: Visit): Promise<Page> {
  requireOwnOrigin(c)
  if (!visit.reader.operator)
    throw new Denied('forbidden', 'Saved queries need the scope operate without restrictions.')
  const form = await readForm(c, 4 * LONGEST_QUERY)
  const field = (name: string): string => form.get(name) ?? ''
  const saved = await readOne(visit.database, queryLibraryRead())
  try {
    const change = Object.hasOwn(CHANGES, field('do')) ? CHANGES[field('do')] : undefined
    if (!change) throw new QueryError('The form does not say what to do with the query.')
    const query = await change({ database: c.var.databases.primary(), saved, field })
    return {
      title: 'Query',
      body: NONE,
      redirect: query === '' ? '/console/saved' : address('/console/query', { q: query }),
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const [path, showForm] =
      field('do') === 'save'
        ? [address('/console/query', { q: field('query') }), showQuery]
        : ['/console/saved', showSaved]
    const page = await showForm({ ...visit, url: new URL(path, visit.url) }, error.message)
    return { ...page, status: 'bad request' }
  }
}
