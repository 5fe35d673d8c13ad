/** Sends requests to the sockets of the runtime. */

import { request, type IncomingHttpHeaders } from 'node:http'

export interface UnixRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface UnixResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** @param socket path of the socket @throws Error where the connection fails */
export const askUnix = (
  socket: string,
  { method = 'GET', path, headers = {}, body }: UnixRequest,
): Promise<UnixResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      // The runtime closes connections that are idle; a request on one that is being closed would fail.
      {
        socketPath: socket,
        agent: false,
        method,
        path,
        headers: { host: 'localhost', ...headers },
      },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Carries out an operation of the runtime's admin socket. @throws Error with its answer if it fails */
export async function askAdmin(socket: string, path: string, text?: string): Promise<string> {
  const request = text === undefined ? { path } : { method: 'POST', path, body: text }
  const { status, body } = await askUnix(socket, request)
  if (status !== 200) throw new Error(body.toString())
  return body.toString()
}

/** `askAdmin` of one process. */
export type AdminRequest = (path: string, text?: string) => Promise<string>
