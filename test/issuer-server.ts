/** The imitated issuer as a server on this machine. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { imitateIssuer, type ImitatedIssuer } from './imitated-issuer.ts'

export interface IssuerServer {
  readonly issuer: ImitatedIssuer
  readonly stop: () => void
}

export async function startIssuer(): Promise<IssuerServer> {
  const server = createServer((incoming, outgoing) => {
    const answered = (async () => {
      const { method = 'GET', url = '/' } = incoming
      const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
      const body = method === 'POST' ? { body: await buffer(incoming) } : {}
      const request = new Request(`${issuer.url}${url}`, {
        method,
        headers: Object.fromEntries(headers) as Record<string, string>,
        ...body,
      })
      const response = await issuer.answer(request)
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(Buffer.from(await response.arrayBuffer()))
    })()
    answered.catch((error: Error) => outgoing.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = await imitateIssuer(`http://127.0.0.1:${port}`)
  return { issuer, stop: () => server.close() }
}
