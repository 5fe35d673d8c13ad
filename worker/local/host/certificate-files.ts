/** The files of the TLS port, read at the start and after each change. */

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
  const options: SecureContextOptions = {
    cert: read(files.cert),
    key: read(files.key),
    ...(files.clientCa !== null && { ca: read(files.clientCa) }),
    // Node expects one revocation list per text; Puppet's file has one for each authority.
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
  if (lists === null) throw new Error(`${file} holds no certificate revocation list (X509 CRL).`)
  return lists
}

const EVERY_MS = 5000

/** Checks the files for changes from time to time. @returns a function that stops it */
export function watchTlsFiles(files: TlsFiles, changed: () => void): () => void {
  const paths = Object.values(files).filter((file): file is string => file !== null)
  for (const path of paths) watchFile(path, { interval: EVERY_MS, persistent: false }, changed)
  return () => {
    for (const path of paths) unwatchFile(path, changed)
  }
}
