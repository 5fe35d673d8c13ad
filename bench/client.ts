/** A client of one server, on keep-alive connections. */

import { Agent, request, type IncomingHttpHeaders } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Milliseconds from the first byte sent to the head of the answer, and to its last byte. */
  readonly firstByteMilliseconds: number
  readonly milliseconds: number
}

/** What answers queries. */
export interface Asked {
  readonly get: (path: string) => Promise<Pick<Answer, 'status' | 'body'>>
}

export interface Client {
  /** The base URL above `/query/v4` and `/cmd/v1`. */
  readonly base: string
  readonly get: (path: string) => Promise<Answer>
  readonly post: (path: string, body: Buffer) => Promise<Answer>
  readonly close: () => void
}

/** Benchmarks may only load this machine. */
const LOCAL = new Set(['127.0.0.1', 'localhost', '[::1]'])

export function openClient(base: string): Client {
  const root = base.replace(/\/$/, '')
  if (!LOCAL.has(new URL(root).hostname)) {
    throw new Error(`${root} is not on this machine, and benchmarks stay on it.`)
  }
  const agent = new Agent({ keepAlive: true })
  const send = (method: string, path: string, body: Buffer | null): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const begun = performance.now()
      const headers = {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      }
      const outgoing = request(root + path, { method, agent, headers }, (response) => {
        const firstByteMilliseconds = performance.now() - begun
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
            firstByteMilliseconds,
            milliseconds: performance.now() - begun,
          }),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(body ?? undefined)
    })
  return {
    base: root,
    get: (path) => send('GET', path, null),
    post: (path, body) => send('POST', path, body),
    close: () => agent.destroy(),
  }
}

/** The answer. @throws Error if its status is not 200 */
export function accepted<Given extends Pick<Answer, 'status' | 'body'>>(
  answer: Given,
  what: string,
): Given {
  if (answer.status !== 200) {
    throw new Error(
      `${what} was answered ${answer.status}: ${answer.body.toString().slice(0, 300)}`,
    )
  }
  return answer
}

/** The rows of an answer. */
export async function rowsOf<Row = Record<string, unknown>>(
  client: Asked,
  path: string,
): Promise<Row[]> {
  const { body } = accepted(await client.get(path), path)
  return JSON.parse(body.toString()) as Row[]
}

/** Path of a query below the base. Parameters other than texts are sent as JSON. */
export function queryPath(entity: string, parameters: Record<string, unknown> = {}): string {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const query = new URLSearchParams(Object.fromEntries(texts) as Record<string, string>).toString()
  return `/query/v4/${entity}${query === '' ? '' : `?${query}`}`
}
