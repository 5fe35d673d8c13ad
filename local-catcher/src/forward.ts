import { request as httpRequest, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Pair } from './content.js'
import { UsageError } from './errors.js'
import { pathOf } from './request.js'

/** A request is marked with it when passed on, so that two catchers cannot send it round forever. */
export const HOP_HEADER = 'X-Local-Catcher-Hop'

// RFC 9110, 7.6.1, and what older peers still send.
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const TIME_LIMIT = 30_000

/** What the target replied, or why it did not: then `status` is 502 or 504 and `error` says it. */
export interface Reply {
  readonly url: string
  readonly status: number
  readonly headers: readonly Pair[]
  readonly bytes: Buffer
  readonly truncated: boolean
  readonly error: string | null
  /** Milliseconds. */
  readonly elapsed: number
}

/** What is passed on: the true bytes of a request. */
export interface Passable {
  readonly method: string
  readonly url: string
  readonly headers: readonly Pair[]
  readonly bytes: Buffer
}

/** Reads a URL that can be sent to; throws UsageError on anything but http and https. */
export function parseTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`'${text}' is not a URL: write it like http://localhost:3000`)
  }
  return url
}

/** The target's path goes before the request's own path and query. */
export function joinTarget(target: URL, requestTarget: string): URL {
  const query = requestTarget.indexOf('?')
  const path = pathOf(requestTarget)
  const joined = target.pathname.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)
  return new URL(joined + (query === -1 ? '' : requestTarget.slice(query)), target.origin)
}

/** Headers that belong to the message rather than to one connection. */
export function endToEnd(headers: readonly Pair[]): Pair[] {
  const named = headers.filter(([name]) => name.toLowerCase() === 'connection')
  const listed = new Set(named.flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/)))
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !HOP_BY_HOP.has(lower) && !listed.has(lower) && lower !== 'expect'
  })
}

/**
 * Sends a request as it came (method, header order and case, body bytes) to exactly `url`, and
 * gives the reply, of whose body at most `limit` bytes are kept. Never rejects.
 */
export async function passOn(
  passed: Passable,
  url: URL,
  limit: number,
  signal?: AbortSignal,
): Promise<Reply> {
  const started = performance.now()
  const headers = endToEnd(passed.headers).filter(
    ([name]) => !['host', 'content-length', HOP_HEADER.toLowerCase()].includes(name.toLowerCase()),
  )
  const bodyless = passed.bytes.length === 0 && ['GET', 'HEAD'].includes(passed.method)
  const sent: Pair[] = [['Host', url.host], ...headers, [HOP_HEADER, '1']]
  if (!bodyless) sent.push(['Content-Length', String(passed.bytes.length)])
  // TLS is a sixth of the time to start, so it is loaded by those who use it.
  const secure = url.protocol === 'https:' ? (await import('node:https')).request : null
  return new Promise((resolve) => {
    const finish = (reply: Partial<Reply> & Pick<Reply, 'status'>) => {
      clearTimeout(timer)
      const elapsed = performance.now() - started
      const nothing = { headers: [], bytes: Buffer.alloc(0), truncated: false, error: null }
      resolve({ url: url.href, ...nothing, elapsed, ...reply })
    }
    const fail = (error: Error) => finish({ status: 502, error: explain(error, url) })
    const timer = setTimeout(() => {
      finish({ status: 504, error: `no reply within ${TIME_LIMIT / 1000} s` })
      outgoing.destroy()
    }, TIME_LIMIT)
    const outgoing = (secure ?? httpRequest)(url, {
      method: passed.method,
      headers: sent.flat(),
      agent: false,
      ...(signal && { signal }),
    })
    outgoing.on('error', fail)
    outgoing.on('response', (incoming) => {
      collect(incoming, limit).then((body) => {
        const status = incoming.statusCode ?? 502
        finish({ status, headers: pairs(incoming.rawHeaders), ...body })
      }, fail)
    })
    outgoing.end(passed.bytes)
  })
}

/** Node's flat list of names and values as pairs. */
export function pairs(flat: readonly string[]): Pair[] {
  const result: Pair[] = []
  for (let i = 0; i < flat.length; i += 2) result.push([flat[i], flat[i + 1]])
  return result
}

async function collect(incoming: IncomingMessage, limit: number) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
  }
  return { bytes: Buffer.concat(chunks), truncated: size > limit }
}

const EXPLANATIONS: Record<string, (url: URL) => string> = {
  ECONNREFUSED: (url) => `nothing listens on ${url.host}`,
  ENOTFOUND: (url) => `no address is known for ${url.hostname}`,
  ECONNRESET: (url) => `${url.host} closed the connection without a reply`,
  ABORT_ERR: () => 'the catcher was stopped before the reply came',
}

function explain(error: NodeJS.ErrnoException, url: URL): string {
  // Node tries every address of localhost and wraps the failures into one error without a message.
  const code = error.code ?? ''
  return EXPLANATIONS[code]?.(url) ?? (error.message || code)
}
