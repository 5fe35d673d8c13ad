/** Opens the ports of a service. */

import type { Server as TlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'

/** @throws Error if the port is not available */
export const listen = (
  server: Server | TlsServer,
  host: string,
  port: number,
): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo))
  })

export const urlOf = (scheme: string, { address, family, port }: AddressInfo): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
