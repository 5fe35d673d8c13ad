/** The files of the TLS port: read at the start, and again whenever they change. */

import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'

export interface TlsFiles {
  /** The server's certificate, with the chain behind it. */
  readonly cert: string
  readonly key: string
  /** Certificates of the authorities whose clients are known; null where no client has a certificate. */
  readonly clientCa: string | null
  /** What these authorities have revoked. */
  readonly clientCrl: string | null
}

/** @throws Error with a sentence that names the file */
export function readTlsFiles(files: TlsFiles): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: read(files.cert),
    key: read(files.key),
    ...(files.clientCa !== null && { ca: read(files.clientCa) }),
    // Node takes one list of revocations a text, and a file of Puppet's has one for each authority.
    ...(files.clientCrl !== null && { crl: listsIn(read(files.clientCrl), files.clientCrl) }),
  }
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

const LIST = /-----BEGIN X509 CRL-----[\s\S]*?-----END X509 CRL-----/g

function listsIn(text: string, file: string): string[] {
  const lists = text.match(LIST)
  if (lists === null) throw new Error(`${file} holds no list of revoked certificates (X509 CRL).`)
  return lists
}

const EVERY_MS = 5000

/** Looks at the files from time to time. @returns what ends that */
export function watchTlsFiles(files: TlsFiles, changed: () => void): () => void {
  const paths = Object.values(files).filter((file): file is string => file !== null)
  for (const path of paths) watchFile(path, { interval: EVERY_MS, persistent: false }, changed)
  return () => {
    for (const path of paths) unwatchFile(path, changed)
  }
}
