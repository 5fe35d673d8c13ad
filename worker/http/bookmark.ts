/** The bookmark of a request: where in the database's history its answer may begin. */

import { QueryError } from '../lib/errors.ts'

/** What D1's bookmarks look like, and the words that may stand for one. */
const BOOKMARK = /^(first-primary|first-unconstrained|[0-9a-f-]{8,100})$/

/** Where the asker wants to read from; null where they don't mind. @throws QueryError for what D1 can't have said */
export function bookmarkOf(request: Request): string | null {
  const bookmark = request.headers.get('x-d1-bookmark')
  if (bookmark === null || BOOKMARK.test(bookmark)) return bookmark
  throw new QueryError('The header x-d1-bookmark must be what an earlier answer said in it.')
}
