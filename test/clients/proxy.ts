/** A front that may refuse what comes: TLS, and a look at the client's certificate, of which the Worker is told as `request.cf`. */

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PresentedCertificate } from '../../worker/access/certificates.ts'
import type { Service } from '../../worker/local/service.ts'
import type { Authority, Certificate } from './certificates.ts'

export interface Proxy {
  readonly url: string
  /** Methods and paths of what came through, oldest first. */
  readonly passed: readonly string[]
  readonly stop: () => Promise<void>
}

export type Ask = Service['askOverTls']

/**
 * Starts a front on a free port. It lets everyone pass, and says whether they presented a certificate
 * and whether that is one of the authority's.
 */
export async function startProxy(ask: Ask, authority: Authority, own: Certificate): Promise<Proxy> {
  const passed: string[] = []
  const server = createServer(
    {
      key: await readFile(own.key),
      cert: await readFile(own.certificate),
      ca: await readFile(authority.certificate),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (incoming, outgoing) => {
      passed.push(`${incoming.method} ${incoming.url}`)
      pass(ask, incoming, outgoing).catch((error: Error) => outgoing.destroy(error))
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}`, passed, stop: () => stop(server) }
}

/** Headers of one connection, which the next has its own of. */
const OF_THE_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding']

async function pass(ask: Ask, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming
  const handedOn = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name))
  const body = Buffer.concat((await incoming.toArray()) as Buffer[])
  const answer = await ask(
    {
      method,
      path: url,
      headers: {
        ...(Object.fromEntries(handedOn) as Record<string, string>),
        'content-length': String(body.length),
      },
      body,
    },
    // Cloudflare says more of it than the Worker reads.
    { tlsClientAuth: presentedBy(incoming.socket as TLSSocket) },
  )
  outgoing.writeHead(answer.status, answer.headers)
  outgoing.end(answer.body)
}

/** What Cloudflare would say of the certificate. Source: Request.cf.tlsClientAuth in the documentation of Workers. */
function presentedBy(socket: TLSSocket): PresentedCertificate {
  const { raw } = socket.getPeerCertificate()
  if (raw === undefined) return { certPresented: '0', certVerified: 'NONE', certRevoked: '0' }
  return {
    certPresented: '1',
    certVerified: socket.authorized ? 'SUCCESS' : `FAILED:${String(socket.authorizationError)}`,
    certRevoked: '0',
    certSubjectDNRFC2253: inRfc2253(new X509Certificate(raw).subject),
  }
}

/** From a line an attribute, the outermost first, to one line that begins with the innermost. */
const inRfc2253 = (subject: string): string => subject.split('\n').reverse().join(',')

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
