/** Which function answers which kind of query endpoint. */

import { unreachable } from '../../lib/invariant.ts'
import type { Handler } from '../context.ts'
import { answerQuery } from './answer.ts'
import type { Endpoint } from './endpoints.ts'
import { answerOne } from './one.ts'
import { answerPart } from './part.ts'

export function handlerOf(endpoint: Endpoint): Handler {
  switch (endpoint.kind) {
    case 'list':
    case 'counts':
    case 'root':
      return answerQuery(endpoint)
    case 'one':
      return answerOne(endpoint)
    case 'part':
      return answerPart(endpoint)
    default:
      return unreachable(endpoint)
  }
}
