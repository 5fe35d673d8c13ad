// Listens for connections.
import { createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { bind, urlOf } from './address.js'
import { makeCertificate } from './certificate.js'
import type { Clock } from './clock.js'
import { Connection, type Receive } from './connection.js'
import { attempt } from './errors.js'
import type { ReadOptions } from './options.js'

const STEP = 2
/** Milliseconds of silence after which the other end is asked whether it is there. */
const PROBE = 60_000

// TLS is a sixth of the time to start, so it is loaded by those who use it.
const tls = () => process.getBuiltinModule('node:tls')

/**
 * Listens: every way in which bytes arrive ends in `receive`. Rejects with UsageError or
 * ListenError.
 */
export async function listen(options: ReadOptions, receive: Receive, clock: Clock) {
  const { port, host, maxBody } = options
  const made = options.https ? makeCertificate() : null
  const { cert, key } = made ?? options
  const secure = cert && key ? { cert, key, ALPNProtocols: ['http/1.1'] } : null
  attempt('the certificate or its key cannot be used', () => secure && tls().createServer(secure))
  /** By the connection of TCP; null before TLS is spoken on it. */
  const connections = new Map<Socket, Connection | null>()
  const on = (socket: Socket, raw: Socket) => new Connection(socket, raw, maxBody, receive, clock)
  // Connections stay open between requests; of a sender that is gone without a word, TCP tells.
  const tcp = { noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE }
  const server = createServer(tcp, (raw: Socket) => {
    connections.set(raw, secure ? null : on(raw, raw))
    raw.once('close', () => connections.delete(raw))
    if (!secure) return
    // A server for each, or none could tell on which connection its handshake failed.
    tls()
      .createServer(secure, (socket) => connections.set(raw, on(socket, raw)))
      .on('tlsClientError', (error, socket) => on(socket, raw).leave(error))
      .emit('connection', raw)
  })
  const bound = await bind(server, port, host)
  return {
    url: urlOf(secure ? 'https' : 'http', bound),
    port: bound.port,
    certificate: made?.cert ?? null,
    /** Stops accepting; cuts delays, lets what runs end, and its answers go out, until `signal` fires. */
    async close(isIdle: () => boolean, signal: AbortSignal) {
      signal.onabort = () => connections.forEach((_, raw) => raw.destroy())
      server.close()
      connections.forEach((each) => each?.cutDelay())
      const isReceiving = () => [...connections.values()].some((each) => each?.isReceiving)
      while (!isIdle() || isReceiving()) await setTimeout(STEP)
      for (const [raw, connection] of connections) (connection?.socket ?? raw).destroySoon()
      while (connections.size > 0 || !isIdle()) await setTimeout(STEP)
    },
  }
}
