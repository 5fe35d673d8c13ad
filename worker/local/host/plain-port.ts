/** The port for plain HTTP. */

import { createServer, type Server } from 'node:http'
import { refusalOf, serveFront, SERVER_OPTIONS, type FrontOptions } from './front.ts'
import { refusal } from './refusal.ts'

export interface PlainPortOptions extends Pick<FrontOptions, 'runtimes' | 'timings'> {
  /** Called with a sentence, once a minute at most, when a client speaks TLS. */
  readonly onTrouble: (sentence: string) => void
}

/** Between two lines about clients that speak TLS. */
const TLS_SILENCE_MS = 60_000
/** The first byte of TLS. Source: RFC 8446, 5.1, handshake. */
const HANDSHAKE = 0x16
const NOT_TLS = refusal(
  '400 Bad Request',
  'This port speaks HTTP without TLS. Use an address with http://.\n',
)

export function createPlainPort({ runtimes, timings, onTrouble }: PlainPortOptions): Server {
  let reportedAt = -Infinity
  const report = (address: string | undefined): void => {
    if (performance.now() - reportedAt < TLS_SILENCE_MS) return
    reportedAt = performance.now()
    onTrouble(
      `A client at ${address} speaks TLS to the port for plain HTTP. Its address needs http://, or the service --tls-cert.`,
    )
  }
  const server = createServer(SERVER_OPTIONS)
  serveFront(server, {
    ...{ runtimes, timings },
    describe: () => [],
    refusalOf(error, client) {
      if (error.rawPacket?.[0] !== HANDSHAKE) return refusalOf(error)
      report(client.remoteAddress)
      return NOT_TLS
    },
  })
  return server
}
