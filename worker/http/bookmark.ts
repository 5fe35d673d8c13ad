/** The bookmark of a request: the state of the database that its answer must not be older than. */

import { QueryError } from '../lib/errors.ts'

/** The shape of D1's bookmarks, and the words that D1 accepts instead. */
const BOOKMARK = /^(first-primary|first-unconstrained|[0-9a-f-]{8,100})$/

/** The header `x-d1-bookmark`; null without it. @throws QueryError for a text that isn't a bookmark */
export function bookmarkOf(request: Request): string | null {
  const bookmark = request.headers.get('x-d1-bookmark')
  if (bookmark === null || BOOKMARK.test(bookmark)) return bookmark
  throw new QueryError('The header x-d1-bookmark must be one that an earlier response had.')
}
