/** A request to a query endpoint: its parameters, and the database it is answered from. */

import { rowPolicyOf } from '../../access/restrictions.ts'
import { QueryError } from '../../lib/errors.ts'
import type { RowPolicy } from '../../plan/plan.ts'
import type { Database } from '../../store/database.ts'
import { bookmarkOf } from '../bookmark.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import type { Headers } from '../respond.ts'
import { refuseUnknown } from '../url-parameters.ts'
import type { Endpoint } from './endpoints.ts'
import { PARAMETERS, timeout, type QueryParameters } from './parameters.ts'
import { lengthOf, readQueryParameters } from './read-parameters.ts'

export interface QueryRequest {
  readonly call: Call
  readonly parameters: QueryParameters
  readonly database: Database
  /** The rows that the reader may see; null for all. */
  readonly rowPolicy: RowPolicy | null
}

/** PuppetDB answers the parts of a report to any method, everything else to these. */
const METHODS = ['GET', 'POST']

/**
 * Reads the parameters of a request and opens the database within its timeout.
 *
 * @throws QueryError for a wrong method or parameter, Refused for a body that can't be read
 */
export async function openQuery(call: Call, endpoint: Endpoint): Promise<QueryRequest> {
  const [settings, trace] = [call.get('settings'), call.get('trace')]
  if (!METHODS.includes(call.req.method) && endpoint.kind !== 'part')
    throw new QueryError('PuppetDB queries must be made via GET/POST')
  const request = call.req.raw
  const parameters = await trace.time('parse', () =>
    readQueryParameters(request, settings.MAX_QUERY_LENGTH),
  )
  refuseUnknown(parameters.keys(), PARAMETERS[endpoint.takes])
  trace.queryLength = lengthOf(parameters)
  return {
    call,
    parameters,
    database: call.get('databases').nearest(bookmarkOf(request), timeout(parameters, settings)),
    rowPolicy: rowPolicyOf(call.get('principal').restrictions),
  }
}

/** Headers of the response: what it cost, unless the reader is restricted. */
export const headersOf = ({ call, database }: QueryRequest): Headers =>
  costHeaders(call, database, call.get('trace').stages)
