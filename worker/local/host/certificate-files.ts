/** The files of the TLS port, read at the start and after each change. */

import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'

export interface TlsFiles {
  /** The server's certificate and its chain. */
  readonly cert: string
  readonly key: string
  /** Certificates of the authorities that verify clients; null if clients have no certificates. */
  readonly clientCa: string | null
  /** Revocation lists of these authorities. */
  readonly clientCrl: string | null
}

/** @throws Error with a sentence that names the file */
export function readTlsFiles(files: TlsFiles): SecureContextOptions {
  const { cert, key, clientCa, clientCrl } = files
  const chain = read(cert)
  const [certificate] = certificatesIn(chain, cert)
  const keyText = read(key)
  if (!certificate!.checkPrivateKey(privateKeyIn(keyText, key)))
    throw new Error(`The key in ${key} is not the key of the certificate in ${cert}.`)
  const options: SecureContextOptions = { cert: chain, key: keyText }
  if (clientCa !== null) {
    options.ca = read(clientCa)
    // Without one, Node trusts all public authorities.
    certificatesIn(options.ca, clientCa)
  }
  // Node expects one revocation list per text; Puppet's file has one for each authority.
  if (clientCrl !== null) options.crl = listsIn(read(clientCrl), clientCrl)
  try {
    createSecureContext(options)
  } catch (error) {
    const all = Object.values(files).filter((file) => file !== null)
    throw new Error(`${all.join(', ')}: ${(error as Error).message}`)
  }
  return options
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** All certificates of a file; at least one. */
function certificatesIn(text: string, file: string): X509Certificate[] {
  const certificates = text.match(CERTIFICATE)
  if (certificates === null) throw new Error(`${file} holds no certificate in PEM.`)
  return certificates.map((one, index) => {
    try {
      return new X509Certificate(one)
    } catch {
      throw new Error(`Certificate ${index + 1} in ${file} is damaged.`)
    }
  })
}

/** The certificates that Node itself trusts beside its own, in PEM. Like Node, it goes on without a file that can't be read, of which Node warns. */
export function extraAuthorities(file: string | undefined): string[] {
  if (file === undefined || file === '') return []
  try {
    return certificatesIn(read(file), file).map((certificate) => certificate.toString())
  } catch {
    return []
  }
}

function privateKeyIn(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw new Error(
      text.includes('ENCRYPTED')
        ? `The key in ${file} is encrypted, and the service can't ask for its passphrase. Write it without one: openssl pkey -in ${file} -out FILE`
        : `${file} holds no private key in PEM.`,
    )
  }
}

const LIST = /-----BEGIN X509 CRL-----[\s\S]*?-----END X509 CRL-----/g

function listsIn(text: string, file: string): string[] {
  const lists = text.match(LIST)
  if (lists === null) throw new Error(`${file} holds no certificate revocation list (X509 CRL).`)
  return lists
}

const DAY_MS = 24 * 60 * 60 * 1000
const EARLY_MS = 30 * DAY_MS

/**
 * Sentences about certificates of the files that have expired, will within 30 days, or are not valid yet.
 *
 * @param now in ms
 */
export function expirySentences({ cert, clientCa }: TlsFiles, now: number): string[] {
  return [
    [cert, 'Clients refuse it.'] as const,
    ...(clientCa === null
      ? []
      : [[clientCa, 'The clients of its authority are refused.'] as const]),
  ].flatMap(([file, consequence]) =>
    certificatesIn(read(file), file).flatMap(({ subject, validFrom, validTo }) => {
      const name = `The certificate "${subject.replaceAll('\n', ', ')}" in ${file}`
      const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
      if (from > now) return [`${name} is not valid before ${day(from)}. ${consequence}`]
      if (to <= now) return [`${name} has expired on ${day(to)}. ${consequence}`]
      return to - now < EARLY_MS ? [`${name} expires on ${day(to)}. Renew it before.`] : []
    }),
  )
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Tells of certificates that expire, at once and once a day. @returns a function that stops it */
export function watchExpiry(files: TlsFiles, tell: (sentence: string) => void): () => void {
  const look = (): void => {
    try {
      for (const sentence of expirySentences(files, Date.now())) tell(sentence)
    } catch {
      // Whoever changed the files hears of it when they are read.
    }
  }
  look()
  const timer = setInterval(look, DAY_MS).unref()
  return () => clearInterval(timer)
}

/** Checks the files for changes every so many ms. @returns a function that stops it */
export function watchTlsFiles(files: TlsFiles, everyMs: number, changed: () => void): () => void {
  const paths = Object.values(files).filter((file): file is string => file !== null)
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, changed)
  return () => {
    for (const path of paths) unwatchFile(path, changed)
  }
}
