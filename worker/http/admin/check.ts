/** `GET /admin/v1/check`: one page of the integrity check. `next` is the `after` of the following page. `POST` also repairs. */

import { checkPage } from '../../integrity/check.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { hostFigures } from '../monitoring/host-figures.ts'
import { objectResponse } from '../respond.ts'

const pageOf =
  (repairs: boolean) =>
  /** @throws QueryError for an `after` that no page gave */
  async (call: Call): Promise<Response> => {
    const { databases, history } = call.var
    const database = databases.primary()
    const page = await checkPage(database, call.req.query('after') ?? '', {
      history,
      lostLog: hostFigures().lostLog,
      repairs,
    })
    return objectResponse(page, 'ok', costHeaders(call, database))
  }

export const integrityCheck = pageOf(false)
export const integrityRepair = pageOf(true)
