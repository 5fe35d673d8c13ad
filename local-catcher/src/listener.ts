import { createServer, ServerResponse, type Server } from 'node:http'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { listenError } from './address.js'
import { KEEP_ALIVE } from './answer.js'
import { Connection, headless, HEADERS_TIMEOUT, REQUEST_TIMEOUT, tlsCause } from './connection.js'
import { attempt } from './errors.js'
import { Incoming } from './incoming.js'
import { NOTHING, type Draft } from './request.js'

/** A certificate and its key, as PEM texts. */
export type Certificate = Readonly<Record<'cert' | 'key', string | Buffer>>

export interface Handlers {
  /** A request came in; its response is as yet without a socket where an earlier one is on its way. */
  receive(request: Draft, response: ServerResponse, socket: Socket): void
  /** Something came in that was no whole request. */
  reject(request: Draft, socket: Socket): void
}

const SETTINGS = {
  IncomingMessage: Incoming,
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: KEEP_ALIVE,
  headersTimeout: HEADERS_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  // Node looks at time-outs only every 30 s unless told otherwise.
  connectionsCheckingInterval: 1000,
}
const STEP = 2

// TLS is a sixth of the time to start, so it is loaded by those who use it.
const https = () => process.getBuiltinModule('node:https')

/** The server socket with its connections: every way in which bytes arrive ends in a handler. */
export class Listener {
  private readonly server: Server<typeof Incoming>
  private readonly connections = new Map<Socket, Connection>()

  constructor(
    private readonly tls: Certificate | undefined,
    private readonly maxBody: number,
    private readonly handlers: Handlers,
  ) {
    this.server = attempt('the certificate or its key cannot be used', () =>
      tls ? https().createServer({ ...SETTINGS, ...tls }) : createServer(SETTINGS),
    )
    // Node drops headers beyond 2,000 in silence unless told otherwise.
    this.server.maxHeadersCount = 0
    this.takeRequests()
    this.takeConnections()
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** What is listened on: not reachable as such where it is 0.0.0.0 or ::. */
  get address(): string {
    const { address, port, family } = this.server.address() as AddressInfo
    const host = family === 'IPv6' ? `[${address}]` : address
    return `${this.tls ? 'https' : 'http'}://${host}:${port}`
  }

  /** Binds; rejects with ListenError where the address cannot be had. */
  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', (error) => reject(listenError(error, host, port)))
      this.server.listen(port, host, resolve)
    })
  }

  /** Whether a request has begun and not ended. */
  get receiving(): boolean {
    return [...this.connections.values()].some((connection) => connection.receiving)
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
    const receive = (incoming: Incoming, response: ServerResponse) => {
      const { socket } = incoming
      this.connections.get(socket)!.receive(incoming, this.maxBody, (request) => {
        if (request.complete) this.handlers.receive(request, response, socket)
        else this.handlers.reject(request, socket)
      })
    }
    this.server.on('request', receive)
    // Neither of these two reaches the request handler by itself.
    this.server.on('checkExpectation', receive)
    this.server.on('connect', (incoming, socket) => {
      const response = new ServerResponse(incoming)
      response.shouldKeepAlive = false
      response.assignSocket(socket as Socket)
      response.on('finish', () => socket.end())
      receive(incoming, response)
    })
  }

  private takeConnections() {
    const { server, connections, handlers } = this
    const event = this.tls ? 'secureConnection' : 'connection'
    const [accept] = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (socket: Socket) => {
      const hand = () => void accept.call(server, socket)
      connections.set(socket, new Connection(socket, hand, handlers.reject))
      socket.once('close', () => connections.delete(socket))
    })
    server.on('clientError', (error, socket) => connections.get(socket as Socket)?.fail(error))
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // A connection that only came and went.
      if (error.code === 'ECONNRESET') return
      handlers.reject(headless(socket, 'malformed', tlsCause(error), NOTHING), socket)
    })
  }
}
