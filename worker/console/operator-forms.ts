/** What operators change for everyone by forms, which need no script: acknowledgements, saved views and saved queries. */

import { createHash } from 'node:crypto'
import type { Call } from '../http/context.ts'
import { acknowledge, withdraw } from '../http/insights/acknowledgements.ts'
import { dropQuery, keepQuery, LONGEST_QUERY } from '../http/insights/saved-queries.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import { queryLibraryRead } from '../insight/assist/query-library.ts'
import { Denied, NotFound, QueryError } from '../lib/errors.ts'
import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { deleteView, MOST_VIEWS, saveView } from '../store/saved-views.ts'
import { address, causeAddress, queryAddress } from './address.ts'
import { NONE } from './html.ts'
import type { Page } from './page.ts'
import { showCause } from './pages/cause.ts'
import { showQuery } from './pages/query.ts'
import { showSaved } from './pages/saved.ts'
import { readForm, returnPath } from './sign-in.ts'
import type { Visit } from './visit.ts'

interface OperatorForm {
  /** What it changes, said to those who may not. */
  readonly what: string
  /** The most bytes of the form. */
  readonly most?: number
  /** Changes it, and returns the address of the page that shows it. */
  readonly change: (database: Database, field: (name: string) => string) => Promise<string>
  /** The page of the form, with the error. */
  readonly again: (visit: Visit, message: string, field: (name: string) => string) => Promise<Page>
}

/** @throws Denied for readers who may not change what all readers see */
async function changedBy(
  call: Call,
  visit: Visit,
  { what, most, change, again }: OperatorForm,
): Promise<Page> {
  requireOwnOrigin(call)
  if (!visit.reader.operator)
    throw new Denied('forbidden', `${what} need the scope operate without restrictions.`)
  const form = await readForm(call, most)
  const field = (name: string): string => form.get(name)?.trim() ?? ''
  const database = call.var.databases.primary()
  try {
    return { title: what, body: NONE, redirect: await change(database, field) }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return { ...(await again({ ...visit, database }, error.message, field)), status: 'bad request' }
  }
}

/** The same visit to another page of the console. */
const at = (visit: Visit, path: string): Visit => ({ ...visit, url: new URL(path, visit.url) })

/** Acknowledges the cause of the address, or withdraws that. */
export const changeAcknowledgement = (call: Call, visit: Visit): Promise<Page> => {
  const cause = visit.names['cause'] ?? ''
  return changedBy(call, visit, {
    what: 'Acknowledgements',
    async change(database, field) {
      const author = visit.reader.name ?? 'anyone'
      const [note, until] = [field('note'), field('until')]
      if (field('do') === 'withdraw') await withdrawOnce(database, cause)
      else await acknowledge(database, { cause, author, note, until })
      return causeAddress(cause)
    },
    again: (visit, message, field) => showCause(visit, { message, note: field('note') }),
  })
}

/** A button that is pressed twice withdraws what is withdrawn already. */
async function withdrawOnce(...given: Parameters<typeof withdraw>): Promise<void> {
  await withdraw(...given).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
  })
}

const LONGEST_TITLE = 200
const LONGEST_ADDRESS = 4000

/** Saves or deletes a view. */
export const changeViews = (call: Call, visit: Visit): Promise<Page> =>
  changedBy(call, visit, {
    what: 'Saved views',
    async change(database, field) {
      const [title, saved] = [field('title'), field('address')]
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
      return '/console/saved'
    },
    again(visit, message, field) {
      const of = { of: field('address'), title: field('title') }
      return showSaved(at(visit, address('/console/saved', of)), message)
    },
  })

/** Saves or deletes a query. */
export const changeSaved = (call: Call, visit: Visit): Promise<Page> =>
  changedBy(call, visit, {
    what: 'Saved queries',
    most: 4 * LONGEST_QUERY,
    async change(database, field) {
      if (field('do') === 'delete') {
        await dropQuery(database, field('name'))
        return '/console/saved'
      }
      if (field('do') !== 'save')
        throw new QueryError('The form does not say what to do with the query.')
      const [title, query] = [field('title'), field('query')]
      const name = nameOf(title)
      const saved = await readOne(database, queryLibraryRead())
      if (saved.some((one) => one.name === name))
        throw new QueryError(
          `There is a query “${title}” already. Delete it first, or choose another title.`,
        )
      await keepQuery(database, { name, title, query })
      return queryAddress(query)
    },
    again: (visit, message, field) =>
      field('do') === 'save'
        ? showQuery(at(visit, queryAddress(field('query'))), message)
        : showSaved(at(visit, '/console/saved'), message),
  })

/** A name for addresses from a title. A title with other than ASCII characters gets a digest instead. */
function nameOf(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const name = plain.replace(/^-/, '').slice(0, 64).replace(/-$/, '')
  return name !== '' && !/[^\x00-\x7f]/.test(title)
    ? name
    : `query-${createHash('sha1').update(title).digest('hex').slice(0, 12)}`
}
