// Listens for connections.
import { createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { bind, urlOf } from './address.js'
import { makeCertificate } from './certificate.js'
import type { Clock } from './clock.js'
import { Connection, type Handlers } from './connection.js'
import { attempt } from './errors.js'
import type { ReadOptions } from './options.js'

const STEP = 2
/** Milliseconds of silence after which the other end is asked whether it is there. */
const PROBE = 60_000

// TLS is a sixth of the time to start, so it is loaded by those who use it.
const tls = () => process.getBuiltinModule('node:tls')

/**
 * Listens: every way in which bytes arrive ends in one of the handlers. Rejects with UsageError or
 * ListenError.
 */
export async function listen(options: ReadOptions, handlers: Handlers, clock: Clock) {
  const { port, host, maxBody } = options
  const made = options.https ? makeCertificate() : null
  const { cert, key } = made ?? options
  const secureContext = attempt('the certificate or its key cannot be used', () =>
    cert && key ? tls().createSecureContext({ cert, key }) : null,
  )
  const connections = new Set<Connection>()
  // Connections stay open between requests; of a sender that is gone without a word, TCP tells.
  const tcp = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE }
  const server = createServer(tcp, (raw: Socket) => {
    const how = { isServer: true, ALPNProtocols: ['http/1.1'] }
    const socket = secureContext ? new (tls().TLSSocket)(raw, { ...how, secureContext }) : raw
    const connection = new Connection(socket, raw, maxBody, handlers, clock)
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })
  const bound = await bind(server, port, host)
  return {
    url: urlOf(secureContext ? 'https' : 'http', bound),
    port: bound.port,
    certificate: made?.cert ?? null,
    /** Stops accepting; lets what runs end, and its answers go out, until `signal` fires. */
    async close(isIdle: () => boolean, signal: AbortSignal) {
      signal.onabort = () => connections.forEach(({ socket }) => socket.destroy())
      server.close()
      const isReceiving = () => [...connections].some((each) => each.isReceiving)
      while (!isIdle() || isReceiving()) await setTimeout(STEP)
      for (const { socket } of connections) socket.destroySoon()
      while (connections.size > 0) await setTimeout(STEP)
    },
  }
}
