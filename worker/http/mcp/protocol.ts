/**
 * The messages of the Model Context Protocol over HTTP. A request is one POST, its answer one JSON object. Revision
 * 2026-07-28 has no session: each request names its revision in `_meta` and repeats method and name in headers. Clients
 * of earlier revisions open with `initialize`, which is answered without a session too.
 * Source: modelcontextprotocol.io, specification 2026-07-28 and 2025-11-25.
 */

import type { Status } from '../respond.ts'

export const CURRENT_REVISION = '2026-07-28'
/** Revisions of clients that send `initialize`, newest first. */
export const EARLIER_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']

export const PROTOCOL_ERRORS = {
  'parse error': -32700,
  'invalid request': -32600,
  'unknown method': -32601,
  'invalid parameters': -32602,
  'header mismatch': -32020,
  'unsupported revision': -32022,
} as const

/** A request that breaks the protocol. What a tool refuses is a result instead, so that a model can read it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  constructor(
    readonly kind: keyof typeof PROTOCOL_ERRORS,
    message: string,
    readonly data: object | null = null,
  ) {
    super(message)
  }
}

type Members = Readonly<Record<string, unknown>>

export interface McpMessage {
  /** Undefined in a notification, which is not answered. */
  readonly id: string | number | undefined
  readonly method: string
  readonly parameters: Members
  /** Whether the sender speaks CURRENT_REVISION. */
  readonly current: boolean
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Reads a message and checks its headers against it. @throws ProtocolError */
export function readMcpMessage(text: string, headers: Headers): McpMessage {
  const body = parsed(text)
  if (!isMembers(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string') {
    throw new ProtocolError('invalid request', 'The body must be one JSON-RPC 2.0 request.')
  }
  const { id, method, params } = body
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    throw new ProtocolError('invalid request', 'An id must be a string or a number.')
  }
  if (params !== undefined && !isMembers(params)) {
    throw new ProtocolError('invalid parameters', 'Parameters must be an object.')
  }
  const parameters = params ?? {}
  const meta = isMembers(parameters['_meta']) ? parameters['_meta'] : {}
  const revision = meta[VERSION_KEY]
  const current = revision !== undefined
  if (current) {
    requireCurrent(revision)
    if (id !== undefined) requireHeaders(headers, method, parameters)
  }
  return { id, method, parameters, current }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProtocolError('parse error', "The body isn't JSON.")
  }
}

function requireCurrent(revision: unknown): void {
  if (revision === CURRENT_REVISION) return
  throw new ProtocolError('unsupported revision', `This revision of MCP is not supported.`, {
    supported: [CURRENT_REVISION],
    requested: revision,
  })
}

/** Method → the parameter that the header Mcp-Name repeats. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' }

function requireHeaders(headers: Headers, method: string, parameters: Members): void {
  const expected: (readonly [header: string, value: unknown])[] = [
    ['MCP-Protocol-Version', CURRENT_REVISION],
    ['Mcp-Method', method],
  ]
  const named = NAMED_BY[method]
  if (named !== undefined) expected.push(['Mcp-Name', parameters[named]])
  for (const [header, value] of expected) {
    if (headerValue(headers.get(header)) !== value) {
      throw new ProtocolError(
        'header mismatch',
        `The header ${header} must repeat what the body says.`,
      )
    }
  }
}

const ENCODED = /^=\?base64\?(.*)\?=$/

/** A value of a header; texts beyond ASCII come as `=?base64?…?=`. */
function headerValue(sent: string | null): string | null {
  const encoded = sent === null ? null : ENCODED.exec(sent)
  return encoded ? Buffer.from(encoded[1]!, 'base64').toString() : sent
}

/** The status of the response to a request that breaks the protocol. Earlier revisions read the error from a 200. */
export const statusOfProtocolError = ({ kind }: ProtocolError, current: boolean): Status => {
  if (kind === 'unknown method') return current ? 'not found' : 'ok'
  return kind === 'invalid parameters' && !current ? 'ok' : 'bad request'
}
