// Listens for connections and hands on what arrives.
import { createServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { bind, urlOf } from './address.js'
import { KEEP_ALIVE } from './answer.js'
import { makeCertificate } from './certificate.js'
import type { Clock } from './clock.js'
import { connect, TIMEOUTS, type Connection, type Reject } from './connection.js'
import { attempt } from './errors.js'
import { Incoming } from './incoming.js'
import type { ReadOptions } from './options.js'
import type { Draft } from './request.js'

export interface Handlers {
  /** A request came in; its response is as yet without a socket where an earlier one is on its way. */
  receive(request: Draft, response: ServerResponse, connection: Connection): Promise<void>
  /** Something came in that was no whole request. */
  reject: Reject
}

const SETTINGS = {
  IncomingMessage: Incoming,
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: KEEP_ALIVE,
  ...TIMEOUTS,
  // Node looks at time-outs only every 30 s unless told otherwise.
  connectionsCheckingInterval: 1000,
}
const STEP = 2

// TLS is a sixth of the time to start, so it is loaded by those who use it.
const tls = () => process.getBuiltinModule('node:tls')

/**
 * Listens: every way in which bytes arrive ends in one of the handlers. Rejects with UsageError or
 * ListenError.
 */
export async function listen(options: ReadOptions, handlers: Handlers, clock: Clock) {
  const { port, host, maxBody } = options
  const made = options.https ? makeCertificate(host) : null
  const { cert, key } = made ?? options
  const secureContext = attempt('the certificate or its key cannot be used', () =>
    cert && key ? tls().createSecureContext({ cert, key }) : null,
  )
  const server = createServer(SETTINGS)
  // Node drops headers beyond 2,000 in silence unless told otherwise.
  server.maxHeadersCount = 0
  const connections = new Map<Socket, Connection>()

  const receive = (incoming: Incoming, response: ServerResponse) => {
    const { socket } = incoming
    const connection = connections.get(socket)!
    connection.receive(incoming, maxBody, (request) => {
      if (request.complete) void handlers.receive(request, response, connection)
      else void handlers.reject(request, socket, connection.turns)
    })
  }
  server.on('request', receive)
  // Neither of these two reaches the request handler by itself.
  server.on('checkExpectation', receive)
  server.on('connect', (incoming, socket) => {
    const response = new ServerResponse(incoming)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Socket)
    response.on('finish', () => socket.end())
    receive(incoming, response)
  })

  const [accept] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (raw: Socket) => {
    const how = { isServer: true, ALPNProtocols: ['http/1.1'] }
    const socket = secureContext ? new (tls().TLSSocket)(raw, { ...how, secureContext }) : raw
    const hand = () => void accept.call(server, socket)
    connections.set(socket, connect(socket, raw, hand, handlers.reject, clock))
    socket.once('close', () => connections.delete(socket))
  })
  server.on('clientError', (error, socket) => connections.get(socket as Socket)?.fail(error))
  const bound = await bind(server, port, host)
  return {
    url: urlOf(secureContext ? 'https' : 'http', bound),
    port: bound.port,
    certificate: made?.cert ?? null,
    /** Stops accepting; lets what runs end, and its answers go out, until `signal` fires. */
    async close(isIdle: () => boolean, signal: AbortSignal) {
      signal.onabort = () => connections.forEach((_, socket) => socket.destroy())
      // http.Server's own close also destroys connections whose answer is still on its way out.
      NetServer.prototype.close.call(server)
      const isReceiving = () => [...connections.values()].some((each) => each.isReceiving())
      while (!isIdle() || isReceiving()) await setTimeout(STEP)
      for (const socket of connections.keys()) socket.destroySoon()
      while (connections.size > 0) await setTimeout(STEP)
      server.close()
    },
  }
}
