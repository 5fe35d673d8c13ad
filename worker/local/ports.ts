/** The ports of a service, over HTTP or HTTPS. */

import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TlsFiles } from './host/certificate-files.ts'
import type { SocketName } from './host/configuration.ts'
import { createPlainPort } from './host/plain-port.ts'
import type { Runtimes } from './host/runtimes.ts'
import { createTlsPort } from './host/tls-port.ts'
import type { Timings } from './timings.ts'

/** The address that the service listens on. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Files for HTTPS, which is then the only protocol; null for HTTP. */
  readonly tls?: TlsFiles | null
}

export class Ports {
  readonly #servers: (Server | TlsServer)[] = []

  /** @param runtimes what a port sends its requests to, by the socket for them */
  constructor(
    private readonly runtimes: (name: SocketName) => Runtimes,
    private readonly options: {
      readonly timings: Timings
      /** Called with a sentence after changed TLS files were read. */
      readonly onReload: (sentence: string) => void
      readonly onTrouble: (sentence: string) => void
    },
  ) {}

  /** @returns the URL @throws Error if the port is not available, or the TLS files can't be used */
  async listenOn({ host, port, tls = null }: Address): Promise<string> {
    const { runtimes, options } = this
    const server = tls
      ? createTlsPort({ ...options, files: tls, runtimes: runtimes('tls') })
      : createPlainPort({ ...options, runtimes: runtimes('plain') })
    this.#servers.push(server)
    return urlOf(tls ? 'https' : 'http', await listen(server, host, port))
  }

  /** Takes no more connections; those in use end with their requests. */
  close(): void {
    for (const server of this.#servers) server.close()
  }
}

/** @throws Error if the port is not available */
const listen = (server: Server | TlsServer, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo))
  })

const urlOf = (scheme: string, { address, family, port }: AddressInfo): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
