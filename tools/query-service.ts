/** A client of PuppetDB's query API, for this service or for a PuppetDB that requires client certificates. */

import { readFile } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import type { Json } from '../worker/lib/json.ts'
import { certificateTrouble } from '../worker/local/certificate-trouble.ts'
import { isList, parseJson } from '../worker/lib/lossless.ts'

/** Credentials. Files are in PEM, as Puppet stores them. */
export interface Credentials {
  readonly token?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly cacert?: string | undefined
}

export interface QueryService {
  /** The rows of an endpoint below `/pdb/query/v4`. Parameters other than texts are sent as JSON. @throws Error with the service's message */
  readonly rows: (
    endpoint: string,
    parameters?: Readonly<Record<string, Json>>,
  ) => Promise<readonly Json[]>
}

const PATIENCE_MS = 120_000

/** @param url with or without `/pdb` at its end @throws Error if a file of the credentials can't be read */
export async function queryService(url: string, credentials: Credentials): Promise<QueryService> {
  const base = `${url.replace(/\/+$/, '').replace(/\/pdb$/, '')}/pdb/query/v4/`
  const { token } = credentials
  const fileOf = (path: string | undefined) => (path === undefined ? undefined : readFile(path))
  const cert = await fileOf(credentials.cert)
  const key = await fileOf(credentials.key)
  const ca = await fileOf(credentials.cacert)
  const options: RequestOptions = {
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    timeout: PATIENCE_MS,
    ...(cert && { cert }),
    ...(key && { key }),
    ...(ca && { ca }),
  }
  return {
    async rows(endpoint, parameters = {}) {
      const address = new URL(endpoint, base)
      for (const [name, value] of Object.entries(parameters)) {
        address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
      }
      const { status, text } = await get(address, options)
      if (status !== 200) throw new Error(`${address.origin} answers ${status}: ${text.trim()}`)
      const rows = parseJson(text)
      if (!isList(rows)) throw new Error(`${address.origin} answers with no list of rows.`)
      return rows
    },
  }
}

function get(address: URL, options: RequestOptions): Promise<{ status: number; text: string }> {
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(address.href, options, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text: Buffer.concat(pieces).toString() }),
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${address.origin} does not answer.`)))
    outgoing.on('error', (error) =>
      reject(new Error(`${address.origin}: ${certificateTrouble(error) ?? error.message}`)),
    )
    outgoing.end()
  })
}
