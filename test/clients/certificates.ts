/** A throw-away certificate authority and what it signs, made with openssl. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { succeed } from './command.ts'

export interface Certificate {
  readonly key: string
  readonly certificate: string
}

const DAYS = '2'

export class Authority {
  private constructor(
    readonly folder: string,
    /** File of the authority's own certificate. */
    readonly certificate: string,
    readonly key: string,
  ) {}

  /** Makes the authority in a folder of its own. */
  static async create(folder: string): Promise<Authority> {
    await mkdir(folder, { recursive: true })
    const authority = new Authority(folder, join(folder, 'ca.pem'), join(folder, 'ca.key'))
    await openssl([
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-sha256', '-days', DAYS],
      ...['-subj', '/CN=Throw-away CA', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
      ...['-keyout', authority.key, '-out', authority.certificate],
    ])
    return authority
  }

  /** Signs a certificate for a name, good for a server and for a client. */
  async issue(name: string, alternativeNames: readonly string[]): Promise<Certificate> {
    const file = (ending: string): string => join(this.folder, `${name}.${ending}`)
    await openssl([
      ...['req', '-newkey', 'rsa:2048', '-nodes', '-sha256', '-subj', `/CN=${name}`],
      ...['-keyout', file('key'), '-out', file('csr')],
    ])
    await writeFile(
      file('cnf'),
      `subjectAltName=${alternativeNames.join(',')}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    )
    await openssl([
      ...['x509', '-req', '-sha256', '-days', DAYS, '-in', file('csr'), '-CA', this.certificate],
      ...['-CAkey', this.key, '-CAcreateserial', '-extfile', file('cnf'), '-out', file('pem')],
    ])
    return { key: file('key'), certificate: file('pem') }
  }
}

const openssl = (parameters: readonly string[]): Promise<string> => succeed('openssl', parameters)
