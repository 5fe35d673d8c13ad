/** The options of `npm start`. */

import { resolve } from 'node:path'
import { readWords, StartError } from './command-line.ts'
import { typed } from './commands.mjs'
import type { TlsFiles } from './host/certificate-files.ts'

export interface StartOptions {
  readonly port: number
  readonly host: string
  readonly data: string
  /** No sample fleet: none is put into an empty database, and an earlier one is removed. */
  readonly empty: boolean
  /** The file of the setting TOKENS; null for the environment's. */
  readonly tokens: string | null
  /** Files of the HTTPS port; null is HTTP. */
  readonly tls: TlsFiles | null
}

export const HELP = `${typed('start', '[options]')}

  --port N           port to listen on (8787)
  --host ADDR        address to listen on (127.0.0.1: this machine only)
  --data DIR         folder that the database is kept in (./data)
  --empty            without the sample fleet; removes it if it is there
  --tokens FILE      the lines of TOKENS; the file is read again when it changes
  --tls-cert FILE    speak HTTPS with this certificate, and its chain
  --tls-key FILE     … and its key
  --client-ca FILE   authorities that sign clients' certificates, such as Puppet's CA
  --client-crl FILE  … and their revocation lists
  --help             this text`

const WORDS = {
  options: {
    port: { type: 'string', default: '8787' },
    host: { type: 'string', default: '127.0.0.1' },
    data: { type: 'string', default: 'data' },
    empty: { type: 'boolean', default: false },
    tokens: { type: 'string' },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'client-ca': { type: 'string' },
    'client-crl': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
} as const
const parsed = (words: readonly string[]) => readWords(WORDS, HELP, words).values

/** @returns the options, or null for `--help`. @throws StartError (2) for unknown words */
export function readStartOptions(words: readonly string[]): StartOptions | null {
  const values = parsed(words)
  if (values.help) return null
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new StartError(`--port takes a number from 0 to 65535, not "${values.port}".`, 2)
  }
  if (values.data === '') throw new StartError('--data takes the name of a folder.', 2)
  const { host, empty } = values
  const tokens = values.tokens === undefined ? null : resolve(values.tokens)
  return { port, host, data: resolve(values.data), empty, tokens, tls: tlsFilesOf(values) }
}

/** Option → the option that it requires. */
const NEEDS = [
  ['tls-cert', 'tls-key'],
  ['tls-key', 'tls-cert'],
  ['client-ca', 'tls-cert'],
  ['client-crl', 'client-ca'],
] as const

function tlsFilesOf(values: ReturnType<typeof parsed>): TlsFiles | null {
  for (const [option, needed] of NEEDS)
    if (values[option] !== undefined && values[needed] === undefined)
      throw new StartError(`--${option} needs --${needed} as well.`, 2)
  const { 'tls-cert': cert, 'tls-key': key, 'client-ca': ca, 'client-crl': crl } = values
  if (cert === undefined || key === undefined) return null
  const file = (path: string | undefined): string | null =>
    path === undefined ? null : resolve(path)
  return { cert: resolve(cert), key: resolve(key), clientCa: file(ca), clientCrl: file(crl) }
}
