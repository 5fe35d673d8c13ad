import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { listenError } from './address.js'
import { Connection, headless, HEADERS_TIMEOUT, REQUEST_TIMEOUT } from './capture.js'
import { reasonOf, UsageError } from './errors.js'
import type { Arrival } from './request.js'

/** A certificate and its key, as PEM texts. */
export interface Certificate {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface Handlers {
  /** The head of a request came in. */
  receive(incoming: IncomingMessage, response: ServerResponse, connection: Connection): void
  /** Something came in that was no whole request. */
  reject(arrival: Arrival, socket: Socket): void
}

const SETTINGS = {
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  // Longer than senders keep their pools, or they race into a closed connection.
  keepAliveTimeout: 75_000,
  headersTimeout: HEADERS_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  // Node looks at time-outs only every 30 s unless told otherwise.
  connectionsCheckingInterval: 1000,
}
const STEP = 2

// TLS is a sixth of the time to start, so it is loaded by those who use it.
const https = () => createRequire(import.meta.url)('node:https') as typeof import('node:https')

/** The server socket with its connections: every way in which bytes arrive ends in a handler. */
export class Listener {
  private readonly server: Server
  private readonly connections = new Map<Socket, Connection>()

  constructor(
    private readonly tls: Certificate | undefined,
    private readonly handlers: Handlers,
  ) {
    try {
      this.server = tls ? https().createServer({ ...SETTINGS, ...tls }) : createServer(SETTINGS)
    } catch (thrown) {
      throw new UsageError(`the certificate or its key cannot be used: ${reasonOf(thrown)}`)
    }
    // Node drops headers beyond 2,000 in silence unless told otherwise.
    this.server.maxHeadersCount = 0
    this.takeRequests()
    this.takeConnections()
  }

  /** What is listened on: not reachable as such where it is 0.0.0.0 or ::. */
  get address(): string {
    const { address, port, family } = this.server.address() as AddressInfo
    const host = family === 'IPv6' ? `[${address}]` : address
    return `${this.tls ? 'https' : 'http'}://${host}:${port}`
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Binds; rejects with ListenError where the address cannot be had. */
  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', (error) => reject(listenError(error, host, port)))
      this.server.listen(port, host, resolve)
    })
  }

  stopAccepting() {
    // http.Server's own close also destroys connections whose answer is still on its way out.
    NetServer.prototype.close.call(this.server)
  }

  /** Lets what was answered go out until `deadline` (of performance.now), then closes everything. */
  async drain(deadline: number): Promise<void> {
    for (const socket of this.connections.keys()) socket.end()
    const unsent = () => [...this.connections.keys()].some((socket) => socket.writableLength > 0)
    while (unsent() && performance.now() < deadline) await setTimeout(STEP)
    this.server.close()
    this.destroyAll()
  }

  destroyAll() {
    for (const socket of this.connections.keys()) socket.destroy()
  }

  private takeRequests() {
    const handle = (incoming: IncomingMessage, response: ServerResponse) =>
      this.handlers.receive(incoming, response, this.connections.get(incoming.socket)!)
    this.server.on('request', handle)
    // Neither of these two reaches the request handler by itself.
    this.server.on('checkExpectation', handle)
    this.server.on('connect', (incoming, socket) => {
      const response = new ServerResponse(incoming)
      response.shouldKeepAlive = false
      response.assignSocket(socket as Socket)
      response.on('finish', () => socket.end())
      handle(incoming, response)
    })
  }

  private takeConnections() {
    const { server } = this
    const event = this.tls ? 'secureConnection' : 'connection'
    const [accept] = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (socket: Socket) => {
      const hand = () => void accept.call(server, socket)
      const connection = new Connection(socket, hand, (error) => this.fail(error, socket))
      this.connections.set(socket, connection)
      socket.once('close', () => this.connections.delete(socket))
    })
    server.on('clientError', (error, socket) => this.fail(error, socket as Socket))
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // A connection that only came and went.
      if (error.code === 'ECONNRESET') return
      const arrival = headless(socket, 'malformed', tlsCause(error), Buffer.alloc(0))
      this.handlers.reject(arrival, socket)
    })
  }

  private fail(error: Error, socket: Socket) {
    const connection = this.connections.get(socket)
    const endsByItself = connection?.receiving === true
    const arrival = connection?.fail(error)
    if (arrival) this.handlers.reject(arrival, socket)
    else if (!endsByItself) socket.destroy()
  }
}

function tlsCause({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_SSL_HTTP_REQUEST') {
    return 'the sender spoke plain HTTP to a TLS port: use https://, or start without --cert/--key'
  }
  return /ALERT_UNKNOWN_CA|ALERT_CERTIFICATE_UNKNOWN/.test(code)
    ? 'the sender does not trust the certificate'
    : `the TLS handshake failed: ${message}`
}
