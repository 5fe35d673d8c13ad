/** `GET /admin/v1/check`: one page of the integrity check. `next` is the `after` of the following page. */

import { checkPage } from '../../integrity/check.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

/** @throws QueryError for an `after` that no page gave */
export async function integrityCheck(call: Call): Promise<Response> {
  const database = call.var.databases.primary()
  const page = await checkPage(database, call.req.query('after') ?? '')
  return objectResponse(page, 'ok', costHeaders(call, database))
}
