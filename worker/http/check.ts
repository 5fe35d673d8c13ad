/** `GET /admin/v1/check`: a page of the check of the store; `next` says where the one behind it begins. */

import { QueryError } from '../lib/errors.ts'
import { checkPage } from '../integrity/check.ts'
import { Database } from '../store/database.ts'
import { costHeaders, objectResponse } from './respond.ts'

/** @throws QueryError for a parameter other than `after`, or one that no answer gave */
export async function answerCheck(request: Request, binding: D1Database): Promise<Response> {
  const parameters = new URL(request.url).searchParams
  for (const name of parameters.keys()) {
    if (name !== 'after') throw new QueryError(`Unsupported query parameter '${name}'`)
  }
  const database = Database.primary(binding)
  const page = await checkPage(database, parameters.get('after') ?? '')
  return objectResponse(page, 200, costHeaders(database))
}
