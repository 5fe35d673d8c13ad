/** `POST /mcp`: answers one message of the Model Context Protocol. No session is kept, and nothing is pushed. */

import { rowPolicyOf } from '../../access/restrictions.ts'
import { Refused } from '../../lib/errors.ts'
import { readAtMost, requireJson } from '../body.ts'
import { bookmarkOf } from '../bookmark.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { timeout } from '../queries/parameters.ts'
import { publicAddressOf } from '../public-address.ts'
import { emptyResponse, respond, type Status } from '../respond.ts'
import { METHODS } from './methods.ts'
import {
  ProtocolError,
  PROTOCOL_ERRORS,
  readMcpMessage,
  statusOfProtocolError,
  type McpMessage,
} from './protocol.ts'
import { LONGEST_MESSAGE } from '../../schema/query-length.ts'
import type { ToolSource } from './tool.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** @throws Refused for a body that isn't JSON by its type, or too large */
export async function answerMcp(call: Call): Promise<Response> {
  const request = call.req.raw
  requireJson(request)
  const text = new TextDecoder().decode(await readAtMost(request, LONGEST_MESSAGE, tooLarge))
  let message: McpMessage | null = null
  try {
    message = readMcpMessage(text, request.headers)
    // A notification is taken, and changes nothing.
    if (message.id === undefined) return emptyResponse('accepted')
    return await answered(call, message)
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const status = statusOfProtocolError(error, message?.current ?? false)
    return problem(error, message?.id ?? null, status)
  }
}

/** Clients that wait for messages of the server, or end a session, learn that there are none. */
export const refuseOtherMethods = (): Response =>
  emptyResponse('method not allowed', { allow: 'POST' })

const tooLarge = (): Refused =>
  new Refused('too large', `A message may have at most ${LONGEST_MESSAGE} bytes.`)

async function answered(call: Call, message: McpMessage): Promise<Response> {
  const method = Object.hasOwn(METHODS, message.method) ? METHODS[message.method] : undefined
  if (!method) throw new ProtocolError('unknown method', `Unknown method: ${message.method}`)
  const source = sourceOf(call)
  const result = await method.answer(message.parameters, source)
  const kept = method.ttlMs === undefined ? {} : { ttlMs: method.ttlMs, cacheScope: 'private' }
  const more = message.current ? { resultType: 'complete', ...kept } : {}
  const body = { jsonrpc: '2.0', id: message.id, result: { ...result, ...more } }
  return respond(JSON.stringify(body), { ...JSON_TYPE, ...costHeaders(call, source.database) })
}

function sourceOf(call: Call): ToolSource {
  const { settings, principal, databases } = call.var
  return {
    // The operator's timeout holds for tools as for queries.
    database: databases.nearest(bookmarkOf(call.req.raw), timeout(new Map(), settings)),
    rowPolicy: rowPolicyOf(principal.restrictions),
    settings,
    now: Date.now(),
    origin: publicAddressOf(call).origin,
  }
}

function problem(error: ProtocolError, id: McpMessage['id'] | null, status: Status): Response {
  const { kind, message, data } = error
  const body = {
    jsonrpc: '2.0',
    id,
    error: { code: PROTOCOL_ERRORS[kind], message, ...(data ? { data } : {}) },
  }
  return respond(JSON.stringify(body), JSON_TYPE, status)
}
