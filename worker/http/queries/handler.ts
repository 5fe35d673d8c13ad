/** Which function answers which kind of query endpoint. */

import { unreachable } from '../../lib/invariant.ts'
import type { Handler } from '../context.ts'
import { answerQuery } from './answer.ts'
import type { Endpoint, OneEndpoint, PartEndpoint } from './endpoints.ts'
import { ask } from '../../answer/ask.ts'
import { NotFound } from '../../lib/errors.ts'
import { prettyJson } from '../../lib/pretty.ts'
import { planQuestion } from '../../plan/build.ts'
import { comparison, WHOLE_ENTITY } from '../../query/ast.ts'
import { jsonResponse } from '../respond.ts'
import { isSet } from './parameters.ts'
import { headersOf, openQuery } from './request.ts'
import { requireVisible } from '../../answer/visible.ts'
import { readPart } from '../../store/read-part.ts'
import { requireParents } from './parents.ts'

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

/** @throws NotFound where it does not exist or is hidden from the reader */
const answerOne =
  (endpoint: OneEndpoint): Handler =>
  async (call) => {
    const request = await openQuery(call, endpoint)
    const { trace, prefix } = call.var
    const { kind, parameter } = endpoint.named
    const name = call.req.param(parameter) ?? ''
    const plan = planQuestion({
      entity: endpoint.entity,
      query: {
        ...WHOLE_ENTITY,
        filter: comparison(endpoint.entity === 'nodes' ? 'certname' : 'name', name),
      },
      factsExpiration: isSet(request.parameters, 'include_facts_expiration'),
      rowPolicy: request.rowPolicy,
    })
    const { pages } = await ask(request.database, plan, {
      prefix,
      compiling: (compile) => trace.time('plan', compile),
    })
    for await (const [row] of pages) {
      if (row !== undefined) return jsonResponse(prettyJson(row), headersOf(request))
    }
    throw new NotFound(kind, name)
  }

/** @throws NotFound where the report does not exist or is hidden from the reader */
const answerPart =
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
