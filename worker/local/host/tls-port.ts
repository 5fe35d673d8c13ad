/**
 * The port for HTTPS: it ends TLS, verifies certificates of clients, and passes requests on to workerd's
 * socket with a word about the connection. workerd could end TLS itself, but tells the Worker nothing of
 * a client's certificate, knows no revocation lists, and never answers `Expect: 100-continue`.
 */

import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { readTlsFiles, watchTlsFiles, type TlsFiles } from './certificate-files.ts'
import { asciiJson, presentedBy } from './client-certificate.ts'
import { CF_HEADER, PROTOCOL_HEADER } from './configuration.ts'
import { CLIENT_SILENCE_MS, PATIENCE_MS, RESTARTING } from './relay.ts'
import type { Supervisor } from './supervisor.ts'

export interface TlsPortOptions {
  readonly files: TlsFiles
  /** Path of workerd's socket. */
  readonly socket: string
  readonly supervisor: Supervisor
  /** Told a sentence when files were read again. */
  readonly onReload: (sentence: string) => void
  /** Told a sentence when files have changed and don't do. */
  readonly onTrouble: (sentence: string) => void
}

/** workerd closes an idle connection after 5 s. Closed before, none is closed just as it is used again. */
const IDLE_MS = 2000
/** As workerd takes them. */
const LONGEST_HEAD = 128 * 1024

/** @throws Error with a sentence where the files don't do */
export function createTlsPort(options: TlsPortOptions): Server {
  const { files, socket, supervisor, onReload, onTrouble } = options
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: Infinity })
  const words = new WeakMap<TLSSocket, string>()
  let outdated = new WeakSet<TLSSocket>()
  const current = new Set<TLSSocket>()

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const client = incoming.socket as TLSSocket
    const word = words.get(client) ?? asciiJson({ tlsClientAuth: presentedBy(client) })
    words.set(client, word)
    if (outdated.has(client)) outgoing.shouldKeepAlive = false
    if (!(await supervisor.whenReady(PATIENCE_MS))) return refuse(outgoing)
    const headers = [...passedOn(incoming.rawHeaders), CF_HEADER, word, PROTOCOL_HEADER, 'https']
    const sent = request(
      { agent, socketPath: socket, method: incoming.method!, path: incoming.url!, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, passedOn(answer.rawHeaders))
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    sent.on('error', () => (outgoing.headersSent ? outgoing.destroy() : refuse(outgoing)))
    outgoing.on('close', () => sent.destroy())
    if (hasBody(incoming)) incoming.pipe(sent)
    else sent.end()
  }

  const server = createServer(
    {
      ...readTlsFiles(files),
      // Without a certificate a token does; it is the Worker that refuses.
      requestCert: files.clientCa !== null,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      keepAliveTimeout: CLIENT_SILENCE_MS,
      maxHeaderSize: LONGEST_HEAD,
    },
    (incoming, outgoing) => void pass(incoming, outgoing),
  )
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeContinue()
    void pass(incoming, outgoing)
  })
  server.on('secureConnection', (client) => {
    client.disableRenegotiation()
    current.add(client)
    client.once('close', () => current.delete(client))
  })
  const reload = (): void => {
    try {
      server.setSecureContext(readTlsFiles(files))
    } catch (error) {
      onTrouble(`The TLS files have changed and are not used: ${(error as Error).message}`)
      return
    }
    // A connection was verified by what was known when it was made.
    outdated = new WeakSet(current)
    server.closeIdleConnections()
    onReload('The TLS files have changed and are used from now on.')
  }
  const unwatch = watchTlsFiles(files, reload)
  server.once('close', () => {
    unwatch()
    agent.destroy()
  })
  return server
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function refuse(outgoing: ServerResponse): void {
  outgoing.shouldKeepAlive = false
  outgoing.writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain;charset=utf-8' })
  outgoing.end(RESTARTING)
}

/** Headers of one connection, and those by which only the launcher speaks. */
const KEPT_BACK =
  /^(?:connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-launcher-.*|cf-.*|mf-.*)$/i

/** Names and values in turn, as they came. */
function passedOn(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2)
    if (!KEPT_BACK.test(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!)
  return kept
}
