/** Client certificates: the common name of a verified one, and what that name may do. */

import { readEntries } from './entries.ts'
import type { Restrictions } from './restrictions.ts'
import { matchesGlob } from '../lib/glob.ts'
import type { Principal } from './principal.ts'
import type { Scope } from './scopes.ts'

/** Cloudflare's result of verifying a client's certificate, all texts. Source: Request.cf.tlsClientAuth. */
export interface PresentedCertificate {
  readonly certPresented?: string
  /** `SUCCESS`, `NONE`, or `FAILED:` and why. */
  readonly certVerified?: string
  readonly certRevoked?: string
  readonly certSubjectDNRFC2253?: string
}

/** An entry of CLIENT_CERTIFICATES: what the names of a pattern may do. */
export interface AllowedName {
  readonly glob: string
  readonly scopes: ReadonlySet<Scope>
  readonly restrictions: Restrictions | null
  /** Restricted to the node of the certificate's own name. */
  readonly ownOnly: boolean
}

/**
 * Reads the setting's text: a name or a pattern, scopes, restrictions. Without `certname=` a certificate
 * may submit for the node of its own name only. A compiling server submits for others: `certname=*`.
 *
 * @throws Misconfigured
 */
export const readCertificates = (setting: string, text: string): readonly AllowedName[] =>
  readEntries(setting, text, (entry) => {
    const [glob, scopes] = entry.shape(['NAME', 'SCOPE[,SCOPE…]'], ['certname', 'environment']) as [
      string,
      string,
    ]
    return {
      glob,
      scopes: entry.scopes(scopes),
      restrictions: entry.restrictions(),
      ownOnly: entry.list('certname') === null,
    }
  })

/** The principal of a certificate, by the first entry that its name matches; null if none does. */
export function principalOfCertificate(
  allowed: readonly AllowedName[],
  presented: PresentedCertificate,
): Principal | null {
  const name = verifiedName(presented)
  const entry = name === null ? undefined : allowed.find(({ glob }) => matchesGlob(glob, name))
  if (name === null || entry === undefined) return null
  const { scopes, ownOnly } = entry
  const restrictions = ownOnly
    ? { certnames: [name], environments: entry.restrictions?.environments ?? null }
    : entry.restrictions
  return { name, kind: 'certificate', scopes, restrictions }
}

/** What is wrong with a certificate, by the reason of the TLS library: OpenSSL's codes as Node names them, or its texts. */
const FAULTS: readonly (readonly [reason: RegExp, sentence: string])[] = [
  [/revoked/, 'is revoked'],
  [/crl/, 'could not be checked against the revocation list of its authority'],
  [/cert(?:ificate)? has expired/, 'has expired'],
  [/not yet valid/, 'is not valid yet'],
  [
    /self.signed|issuer|leaf signature|first certificate|signature failure/,
    'is not from an authority that this service trusts',
  ],
]

/**
 * Why a certificate gives no access, from the certificate alone; null where none was presented.
 * Its name is shown even if it is not verified: the client sent it.
 */
export function certificateFault(presented: PresentedCertificate): string | null {
  const { certPresented, certVerified = '', certRevoked, certSubjectDNRFC2253 } = presented
  if (certPresented !== '1') return null
  const name = commonName(certSubjectDNRFC2253 ?? '')
  const certificate = name === null ? 'The certificate' : `The certificate '${name}'`
  const failure = certRevoked === '1' ? 'revoked' : certVerified.replace(/^FAILED:?/, '')
  if (failure !== 'SUCCESS') {
    const reason = failure.toLowerCase().replaceAll('_', ' ')
    const fault = FAULTS.find(([pattern]) => pattern.test(reason))?.[1]
    return `${certificate} ${fault ?? `could not be verified${failure === '' ? '' : ` (${failure})`}`}.`
  }
  return name === null
    ? 'The certificate has no common name that a Puppet certificate could have.'
    : `${certificate} is valid, but CLIENT_CERTIFICATES does not allow this name.`
}

function verifiedName(presented: PresentedCertificate): string | null {
  const { certPresented, certVerified, certRevoked, certSubjectDNRFC2253 } = presented
  if (certPresented !== '1' || certVerified !== 'SUCCESS' || certRevoked === '1') return null
  return commonName(certSubjectDNRFC2253 ?? '')
}

/** An attribute of a distinguished name: type, `=`, value with its escapes. Source: RFC 2253, section 3. */
const ATTRIBUTE = /^([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)=((?:[^,+"\\<>;]|\\[\s\S])*)(?:[,+]|$)/

/**
 * The common name in a distinguished name. Null if there is none or more than one, and for anything
 * that Puppet's certificates don't contain: escapes, quotes, asterisks.
 */
export function commonName(distinguishedName: string): string | null {
  const names: string[] = []
  let rest = distinguishedName
  while (rest !== '') {
    const match = ATTRIBUTE.exec(rest)
    if (match === null) return null
    const [whole, type, value] = match
    if (['CN', '2.5.4.3'].includes(type!.toUpperCase())) names.push(value!)
    rest = rest.slice(whole.length)
  }
  const [name, ...others] = names
  return name && others.length === 0 && /^[A-Za-z0-9._:-]+$/.test(name) ? name : null
}
