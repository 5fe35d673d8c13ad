/** One node, environment or producer by its name. */

import { ask } from '../../answer/ask.ts'
import { NotFound } from '../../lib/errors.ts'
import { prettyJson } from '../../lib/pretty.ts'
import { planQuestion } from '../../plan/build.ts'
import { comparison, WHOLE_ENTITY } from '../../query/ast.ts'
import type { Handler } from '../context.ts'
import { jsonResponse } from '../respond.ts'
import type { OneEndpoint } from './endpoints.ts'
import { isSet } from './parameters.ts'
import { headersOf, openQuery } from './request.ts'

/** @throws NotFound where it does not exist or is hidden from the reader */
export const answerOne =
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
      legacyNames: prefix !== '',
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
