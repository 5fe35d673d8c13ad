/** Saves and deletes named queries. */

import { PRESETS } from '../../insight/assist/query-library.ts'
import { planRoot } from '../../answer/ask.ts'
import { NotFound, QueryError } from '../../lib/errors.ts'
import { parseRootQuery } from '../../query/root.ts'
import type { Database } from '../../store/database.ts'
import { deleteSavedQuery, saveQuery } from '../../store/saved-queries.ts'
import type { Call, Handler } from '../context.ts'
import { readJsonObject, textsIn } from '../json-body.ts'
import { emptyResponse } from '../respond.ts'

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
const LONGEST_TITLE = 200
export const LONGEST_QUERY = 100_000
/** Room for the longest query with every character escaped. */
const MOST_BYTES = 1_000_000
const BODY = {
  what: 'a saved query',
  most: MOST_BYTES,
  example: { title: 'Failed nodes', query: 'nodes {}' },
}

/** Saves the query of a body `{"title": …, "query": …}` under the name in the path. @throws QueryError */
export const putQuery: Handler = async (call) => {
  const body = await readJsonObject(call.req.raw, BODY)
  const saved = { name: nameIn(call), ...textsIn(body, ['title', 'query'], BODY.example) }
  await keepQuery(call.var.databases.primary(), saved)
  return emptyResponse('no content')
}

/** @throws NotFound where no query of that name is saved */
export const deleteQuery: Handler = async (call) => {
  await dropQuery(call.var.databases.primary(), nameIn(call))
  return emptyResponse('no content')
}

const nameIn = (call: Call): string => call.req.param('name') ?? ''

/** Saves a query, in place of an earlier one with its name. @throws QueryError for an invalid name, title or query */
export async function keepQuery(
  database: Database,
  saved: { readonly name: string; readonly title: string; readonly query: string },
): Promise<void> {
  const { name, title, query } = saved
  requireOwn(name)
  if (title.trim() === '' || title.length > LONGEST_TITLE) {
    throw new QueryError(`A query needs a title of at most ${LONGEST_TITLE} characters.`)
  }
  if (query.length > LONGEST_QUERY) {
    throw new QueryError(`The query is too long: at most ${LONGEST_QUERY} characters can be saved.`)
  }
  planRoot(parseRootQuery(query), null)
  await saveQuery(database, saved, Date.now())
}

/** @throws QueryError for a built-in query, NotFound if none of that name is saved */
export async function dropQuery(database: Database, name: string): Promise<void> {
  requireOwn(name)
  if (!(await deleteSavedQuery(database, name))) throw new NotFound('query', name)
}

function requireOwn(name: string): void {
  if (!NAME.test(name)) {
    throw new QueryError(
      `A query can't be called '${name}': a name has at most 64 lower-case letters, digits and dashes.`,
    )
  }
  if (PRESETS.some(([preset]) => preset === name)) {
    throw new QueryError(`'${name}' comes with the service and can't be changed.`)
  }
}
