/** The logs or the metrics of a report. */

import { requireVisible } from '../../answer/visible.ts'
import { prettyJson } from '../../lib/pretty.ts'
import { readPart } from '../../store/read-part.ts'
import type { Handler } from '../context.ts'
import { jsonResponse } from '../respond.ts'
import type { PartEndpoint } from './endpoints.ts'
import { isSet } from './parameters.ts'
import { requireParents } from './parents.ts'
import { headersOf, openQuery } from './request.ts'

/** @throws NotFound where the report does not exist or is hidden from the reader */
export const answerPart =
  (endpoint: PartEndpoint): Handler =>
  async (call) => {
    const request = await openQuery(call, endpoint)
    const { database, rowPolicy, parameters } = request
    const hash = call.req.param('hash') ?? ''
    await requireParents(endpoint, request)
    if (rowPolicy !== null)
      await requireVisible(database, [{ kind: 'report', name: hash }], rowPolicy)
    const text = await readPart(database, hash, endpoint.part)
    return jsonResponse(isSet(parameters, 'pretty') ? prettyJson(text) : text, headersOf(request))
  }
