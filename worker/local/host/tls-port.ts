/**
 * The port for HTTPS: terminates TLS, verifies client certificates, and passes requests to workerd's
 * socket with headers that describe the connection. workerd could terminate TLS itself, but gives the Worker nothing of
 * a client's certificate, supports no revocation lists, and never answers `Expect: 100-continue`.
 */

import { createServer, type Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { readTlsFiles, watchExpiry, watchTlsFiles, type TlsFiles } from './certificate-files.ts'
import { CF_HEADER, PROTOCOL_HEADER } from './configuration.ts'
import type { Timings } from '../timings.ts'
import { refusalOf, serveFront, SERVER_OPTIONS } from './front.ts'
import type { Runtimes } from './runtimes.ts'
import type { PresentedCertificate } from '../../access/certificates.ts'

export interface TlsPortOptions {
  readonly files: TlsFiles
  readonly runtimes: Runtimes
  readonly timings: Timings
  /** Called with a sentence after changed files were read. */
  readonly onReload: (sentence: string) => void
  /** Called with a sentence when changed files can't be used, or a revocation list refuses everybody. */
  readonly onTrouble: (sentence: string) => void
}

/** Why clients are refused for the fault of a revocation list, not of theirs. Codes: OpenSSL's, as Node names them. */
const LIST_FAULTS: Readonly<Record<string, string>> = {
  CRL_HAS_EXPIRED:
    'A list in --client-crl has expired. Until it is renewed, every certificate of its authority is refused.',
  CRL_NOT_YET_VALID:
    'A list in --client-crl is not valid yet. Until then, every certificate of its authority is refused.',
  UNABLE_TO_GET_CRL:
    "--client-crl lacks the list of a client's authority. Every certificate of that authority is refused.",
}

/** The open connections: what each client presented, and whether that was verified against earlier files. */
class Clients {
  readonly #words = new WeakMap<TLSSocket, string>()
  readonly #open = new Set<TLSSocket>()
  #outdated = new WeakSet<TLSSocket>()

  add(client: TLSSocket): void {
    this.#open.add(client)
    client.once('close', () => this.#open.delete(client))
  }

  /** The value of the header that tells the Worker what the client presented. */
  wordOf(client: TLSSocket): string {
    const word = this.#words.get(client) ?? asciiJson({ tlsClientAuth: presentedBy(client) })
    this.#words.set(client, word)
    return word
  }

  isOutdated(client: TLSSocket): boolean {
    return this.#outdated.has(client)
  }

  outdateAll(): void {
    this.#outdated = new WeakSet(this.#open)
  }
}

const serverOptions = (files: TlsFiles) => ({
  ...SERVER_OPTIONS,
  ...readTlsFiles(files),
  // A client without a certificate may have a token; the Worker refuses the rest.
  requestCert: files.clientCa !== null,
  rejectUnauthorized: false,
  minVersion: 'TLSv1.2' as const,
  ALPNProtocols: ['http/1.1', 'http/1.0'],
})

/** @throws Error with a sentence if the files can't be used */
export function createTlsPort(options: TlsPortOptions): Server {
  const { files, runtimes, timings, onReload, onTrouble } = options
  const clients = new Clients()
  const reported = new Set<string>()

  const server = createServer(serverOptions(files))
  serveFront(server, {
    ...{ runtimes, timings, refusalOf },
    describe(socket, outgoing) {
      const client = socket as TLSSocket
      if (clients.isOutdated(client)) outgoing.shouldKeepAlive = false
      return [CF_HEADER, clients.wordOf(client), PROTOCOL_HEADER, 'https']
    },
  })
  server.on('secureConnection', (client) => {
    client.disableRenegotiation()
    const reason = String(client.authorizationError)
    const sentence = LIST_FAULTS[reason]
    if (sentence !== undefined && !reported.has(reason)) {
      reported.add(reason)
      onTrouble(sentence)
    }
    clients.add(client)
  })
  const reload = (): void => {
    try {
      server.setSecureContext(readTlsFiles(files))
    } catch (error) {
      onTrouble(
        `The changed TLS files are invalid, so the earlier ones stay in use: ${(error as Error).message}`,
      )
      return
    }
    clients.outdateAll()
    reported.clear()
    server.closeIdleConnections()
    onReload('The TLS files have changed and are used from now on.')
  }
  const unwatch = [watchTlsFiles(files, timings.tlsFilesMs, reload), watchExpiry(files, onTrouble)]
  server.once('close', () => {
    for (const stop of unwatch) stop()
  })
  return server
}

const NONE: PresentedCertificate = {
  certPresented: '0',
  certVerified: 'NONE',
  certRevoked: '0',
  certSubjectDNRFC2253: '',
}

/** The certificate of a connection's client, and whether it was verified. Format: `Request.cf.tlsClientAuth` of Workers. */
function presentedBy(socket: TLSSocket): PresentedCertificate {
  const { subject } = socket.getPeerCertificate()
  if (subject === undefined) return NONE
  const reason = String(socket.authorizationError)
  return {
    certPresented: '1',
    certVerified: socket.authorized ? 'SUCCESS' : `FAILED:${reason}`,
    certRevoked: reason === 'CERT_REVOKED' ? '1' : '0',
    certSubjectDNRFC2253: distinguishedName({ ...subject }),
  }
}

/** Attributes by type, outermost first → one line, innermost first. Source: RFC 2253, section 2. */
const distinguishedName = (subject: Readonly<Record<string, string | string[]>>): string =>
  Object.entries(subject)
    .flatMap(([type, values]) => [values].flat().map((value) => `${type}=${escaped(value)}`))
    .reverse()
    .join(',')

const escaped = (value: string): string =>
  value.replace(/^[ #]|[,+"\\<>;]| $/g, (character) => `\\${character}`)

/** JSON in ASCII, since headers allow no other characters and names in certificates may have any. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
