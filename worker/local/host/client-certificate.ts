/** Describes a client's certificate to the Worker, in Cloudflare's format. */

import type { TLSSocket } from 'node:tls'
import type { PresentedCertificate } from '../../access/certificates.ts'

const NONE: PresentedCertificate = {
  certPresented: '0',
  certVerified: 'NONE',
  certRevoked: '0',
  certSubjectDNRFC2253: '',
}

/** The certificate of a connection's client, and whether it was verified. Format: `Request.cf.tlsClientAuth` of Workers. */
export function presentedBy(socket: TLSSocket): PresentedCertificate {
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
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
