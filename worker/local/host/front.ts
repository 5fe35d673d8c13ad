/**
 * What both ports have in common, for HTTP and for HTTPS: Node's server, whose requests go to the processes of workerd.
 *
 * The launcher holds the ports, so that they stay open while the runtime restarts: requests wait for the
 * runtime, and get 503 with Retry-After if that takes too long. It answers `Expect: 100-continue`, which workerd never
 * does, and keeps idle connections open longer than workerd would.
 */

import {
  Agent,
  validateHeaderName,
  validateHeaderValue,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { URL } from 'node:url'
import type { Timings } from '../timings.ts'
import { OF_REQUEST, passOn, without, type Exchange } from './passage.ts'
import { refusal, refuse } from './refusal.ts'
import { LONGEST_HEAD, type Runtimes } from './runtimes.ts'

/** How long a client may send and take nothing while it is not waiting for an answer. */
const CLIENT_SILENCE_MS = 60_000

export const SERVER_OPTIONS = {
  keepAliveTimeout: CLIENT_SILENCE_MS,
  maxHeaderSize: LONGEST_HEAD,
  // A body may take as long as it keeps coming.
  requestTimeout: 0,
} as const

/** A client error, as Node's server reports it. */
export type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

export interface FrontOptions {
  readonly runtimes: Runtimes
  readonly timings: Pick<Timings, 'idleMs' | 'patienceMs'>
  /** Headers that tell the Worker of the connection. */
  readonly describe: (client: Socket, outgoing: ServerResponse) => readonly string[]
  /** The answer to bytes that aren't a request. */
  readonly refusalOf: (error: ClientError, client: Socket) => string
}

type Received = Pick<Exchange, 'incoming' | 'outgoing'>

const refused = (sentence: string): string => refusal('400 Bad Request', sentence)

const NO_PROXY = refusal('405 Method Not Allowed', 'This service is not a proxy.\n')
/** Answers to bytes that aren't a request, by the codes of Node's errors. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_INVALID_EOF_STATE: refused('The request ended before it was complete.\n'),
  HPE_HEADER_OVERFLOW: refusal(
    '431 Request Header Fields Too Large',
    'The head of the request is too long.\n',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: refusal('408 Request Timeout', 'The request took too long.\n'),
}
const MALFORMED = refused('The request is not HTTP/1.1.\n')

export const refusalOf = ({ code = '' }: ClientError): string => REFUSALS[code] ?? MALFORMED

/** Passes the requests of a server on. */
export function serveFront(server: Server | TlsServer, options: FrontOptions): void {
  const { runtimes, timings, describe } = options
  const agent = new Agent({ keepAlive: true, timeout: timings.idleMs, maxSockets: Infinity })
  /** The request of each connection that is answered, or was last. */
  const current = new WeakMap<Duplex, Received>()
  /** The last request of each connection that has to wait for the answer before it. */
  const last = new WeakMap<Socket, ServerResponse>()

  const begin = ({ incoming, outgoing }: Received): void => {
    const client = incoming.socket
    current.set(client, { incoming, outgoing })
    outgoing.on('timeout', () => {
      const awaits = incoming.complete && client.writableLength === 0
      if (awaits) client.setTimeout(CLIENT_SILENCE_MS)
      else client.destroy()
    })
    const target = inOriginForm(incoming)
    if (target === null)
      return refuse(outgoing, 400, 'The address of the request is not one of HTTP.\n')
    if (!areValid(target.headers))
      return refuse(outgoing, 400, 'The head of the request is not one of HTTP.\n')
    incoming.url = target.path
    const headers = [...target.headers, ...describe(client, outgoing)]
    void passOn({ incoming, outgoing, headers }, { runtimes, agent, timings })
  }

  const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const client = incoming.socket
    // Its turn comes with the connection: each request is passed on once the answer before it is complete.
    if (outgoing.socket !== null) return begin({ incoming, outgoing })
    last.set(client, outgoing)
    // Node reads on once this event is over.
    process.nextTick(() => outgoing.socket ?? client.pause())
    outgoing.once('socket', () => {
      if (last.get(client) === outgoing) client.resume()
      begin({ incoming, outgoing })
    })
  }

  /** Ends a connection on which no more requests can come, after the answer under way. */
  const end = (client: Socket, answer: string): void => {
    const { incoming, outgoing } = current.get(client) ?? {}
    if (client.writableEnded) return
    if (outgoing === undefined || outgoing.writableFinished) {
      client.end(answer)
      client.destroySoon()
    } else if (incoming!.complete) outgoing.shouldKeepAlive = false
    else if (outgoing.headersSent) client.destroy()
    else refuse(outgoing, 400, 'The request ended before it was complete.\n')
  }

  server.timeout = CLIENT_SILENCE_MS
  // Node would leave out what is beyond 2,000.
  server.maxHeadersCount = 0
  // A client that has closed its sending side gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', take)
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeContinue()
    take(incoming, outgoing)
  })
  server.on('connect', (_: IncomingMessage, client: Duplex) => end(client as Socket, NO_PROXY))
  server.on('clientError', (error: ClientError, stream: Duplex) => {
    const client = stream as Socket
    if (!client.writable || error.code === 'ECONNRESET') client.destroy()
    else end(client, options.refusalOf(error, client))
  })
  server.once('close', () => agent.destroy())
}

/** Whether http.request takes them. Parsers of Node 20 took blanks in names. */
function areValid(headers: readonly string[]): boolean {
  try {
    for (let at = 0; at < headers.length; at += 2) {
      validateHeaderName(headers[at]!)
      validateHeaderValue(headers[at]!, headers[at + 1]!)
    }
    return true
  } catch {
    return false
  }
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i
const HOST = /^host$/i
/** What http.request refuses in a path. */
const UNPRINTABLE = /[^\x21-\xff]/
/** A server refuses a request that names no host, or several (RFC 9112, 3.2). */
const isAddress = (headers: readonly string[], path: string): boolean => {
  const hosts = headers.filter((_, at) => at % 2 === 1 && HOST.test(headers[at - 1]!))
  return hosts.length === 1 && path.startsWith('/') && URL.canParse(`http://${hosts[0]}${path}`)
}

/**
 * Path and headers to pass on; null for an address that can't be. A target in absolute form names the host. Servers
 * have to take it (RFC 9112, 3.2.2), and workerd answers it with 500.
 */
export function inOriginForm({
  url,
  rawHeaders,
  httpVersionMajor,
}: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersionMajor'>): {
  readonly path: string
  readonly headers: readonly string[]
} | null {
  const path = url!
  const headers = without(OF_REQUEST, rawHeaders)
  // Node's parser also takes a request without a version.
  if (UNPRINTABLE.test(path) || httpVersionMajor !== 1) return null
  const [, authority, rest] = ABSOLUTE.exec(path) ?? []
  const target =
    authority === undefined
      ? { path, headers }
      : {
          path: rest!.startsWith('/') ? rest! : `/${rest}`,
          headers: ['host', authority, ...without(HOST, headers)],
        }
  return authority?.includes('@') || !isAddress(target.headers, target.path) ? null : target
}
