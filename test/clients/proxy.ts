/** TLS before the service, whose own port is plain HTTP: only clients with a certificate pass. */

import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Authority, Certificate } from './certificates.ts'

export interface Proxy {
  readonly url: string
  /** Methods and paths of what came through, oldest first. */
  readonly passed: readonly string[]
  readonly stop: () => Promise<void>
}

/** Starts a proxy on a free port that forwards requests as they are, bodies unread. */
export async function startProxy(
  target: string,
  authority: Authority,
  own: Certificate,
): Promise<Proxy> {
  const passed: string[] = []
  const server = createServer(
    {
      key: await readFile(own.key),
      cert: await readFile(own.certificate),
      ca: await readFile(authority.certificate),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (incoming, outgoing) => {
      passed.push(`${incoming.method} ${incoming.url}`)
      const forwarded = request(
        new URL(incoming.url ?? '/', target).href,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        },
      )
      forwarded.on('error', (error) => outgoing.destroy(error))
      incoming.pipe(forwarded)
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}`, passed, stop: () => stop(server) }
}

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
