/**
 * The port for plain HTTP: passes the bytes of each request to a socket of workerd, and those of its answer back.
 *
 * The launcher holds the port, so that it stays open while the runtime restarts: requests wait for the
 * runtime, and get 503 with Retry-After if that takes too long. It answers `Expect: 100-continue`,
 * which workerd never does, and keeps idle connections open longer than workerd would. Requests that only read
 * go to a reader, each once the answer before it is complete.
 */

import { createServer, type Server } from 'node:net'
import { RelayedConnection, type RelayTimings } from './relayed-connection.ts'
import { beginsTls, NOT_TLS } from './request-head.ts'
import type { Runtimes } from './runtimes.ts'

export interface RelayOptions {
  readonly runtimes: Runtimes
  readonly timings: RelayTimings
  /** Called with a sentence, once a minute at most, when a client speaks TLS. */
  readonly onTrouble: (sentence: string) => void
}

/** Between two lines about clients that speak TLS. */
const TLS_SILENCE_MS = 60_000

export function createRelay({ runtimes, timings, onTrouble }: RelayOptions): Server {
  let reportedAt = -Infinity
  return createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.once('data', (bytes) => {
      if (!beginsTls(bytes)) return
      client.end(NOT_TLS)
      client.destroySoon()
      if (performance.now() - reportedAt < TLS_SILENCE_MS) return
      reportedAt = performance.now()
      onTrouble(
        `A client at ${client.remoteAddress} speaks TLS to the port for plain HTTP. Its address needs http://, or the service --tls-cert.`,
      )
    })
    new RelayedConnection(client, runtimes, timings)
  })
}
