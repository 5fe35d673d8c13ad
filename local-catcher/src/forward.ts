// Passes a request on to another URL, as it came.
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import { headersOf, pairs, type Pair } from './content.js'
import { refuse } from './errors.js'
import { NOTHING, type CapturedRequest, type Reply } from './request.js'
import { reader } from './fields.js'

/** A request is marked with it when passed on, so that two catchers cannot send it round forever. */
export const HOP_HEADER = 'X-Local-Catcher-Hop'

// RFC 9110, 7.6.1, and what older peers still send; Expect was met before anything is passed on.
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade|expect)$/i
const SET_ANEW = /^(host|content-length|x-local-catcher-hop)$/i

const TIME_LIMIT = 30_000

/** Where a message is sent: `url` names the server alone, `target` is sent to it as it is written. */
export interface Destination {
  readonly url: URL
  readonly target: string
  /** The path that dots of the target lead out of, so that nothing is sent; empty where none do. */
  readonly left: string
}

const readUrl = reader('a URL: write it like http://localhost:3000', (text: string) =>
  /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined,
)

/** Reads a URL that can be sent to; throws UsageError on anything but http and https. */
export function parseTarget(text: string): URL {
  const url = readUrl(text)
  if (url.username === '' && url.password === '') return url
  refuse('write a URL without user name and password: send them in a header')
}

/** The same for --forward, where the query is that of each request. */
export function parseForward(text: string): URL {
  const url = parseTarget(text)
  return url.search === '' ? url : refuse('--forward takes no query: each request has its own')
}

// What is before the path in the absolute form, `http://host:1/a?b`.
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/**
 * Puts the target of a request after the path of the URL, as text: neither `//host` nor `..` is
 * resolved, so it leads to no other server. Of the absolute form, which is how proxies are asked,
 * path and query are sent. A path that was named is not left: servers resolve `..` themselves.
 */
export function below(url: URL, requestTarget: string): Destination {
  const base = url.pathname.replace(/\/$/, '')
  const path = requestTarget.replace(AUTHORITY, '')
  const isSent = path.startsWith('/') || (path === '*' && base === '')
  const left = base !== '' && climbs(path) ? base : ''
  return { url, target: base + (isSent ? '' : '/') + path, left }
}

/** Whether dots lead above the path's begin for any server: some merge slashes, take `\\` or `%2f` for one, or go on at `#`. */
function climbs(path: string): boolean {
  let depth = 0
  const [plain = ''] = path.split('?', 1)
  for (const segment of plain.replace(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i)) {
    const name = segment.replace(/;.*/, '')
    if (name === '..') depth -= 1
    else if (name !== '' && name !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** Headers that belong to the message rather than to one connection. */
export function endToEnd(headers: readonly Pair[]): Pair[] {
  const named = headersOf(headers, 'connection')
  const listed = new Set(named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/)))
  return headers.filter(([name]) => !HOP_BY_HOP.test(name) && !listed.has(name.toLowerCase()))
}

/** What is sent: a request as it came, or one that was made. */
export type Message = Pick<CapturedRequest, 'method' | 'headers' | 'bytes'>

/** Where a request is sent again: to `to` itself, or below it where it is an origin alone. */
export const replayTarget = (to: URL, requestTarget: string): Destination =>
  to.pathname === '/' && to.search === '' ? below(to, requestTarget) : exactly(to)

const exactly = (url: URL): Destination => ({ url, target: url.pathname + url.search, left: '' })

/** A destination as people read it. */
export const spell = ({ url, target }: Pick<Destination, 'url' | 'target'>): string =>
  url.origin + (target.startsWith('/') ? '' : '/') + target

/** Passes a request on as it came, marked against loops; see `deliver`. */
export const passOn = (request: Message, to: Destination, limit: number, stopped?: AbortSignal) =>
  deliver(request, to, limit, stopped, [[HOP_HEADER, '1']])

/**
 * Sends a message (method, header order and case, body bytes) to exactly `to`, following no
 * redirect, and gives the reply, of whose body at most `limit` bytes are kept. Never rejects.
 */
export async function deliver(
  { method, headers, bytes }: Message,
  to: URL | Destination,
  limit: number,
  stopped?: AbortSignal,
  added: readonly Pair[] = [],
): Promise<Reply> {
  const destination = to instanceof URL ? exactly(to) : to
  const { url, target } = destination
  const started = performance.now()
  const passed = endToEnd(headers).filter(([name]) => !SET_ANEW.test(name))
  const sent: Pair[] = [['Host', url.host], ...passed, ...added]
  const bodyless = bytes.length === 0 && ['GET', 'HEAD'].includes(method)
  if (!bodyless) sent.push(['Content-Length', String(bytes.length)])
  const late = AbortSignal.timeout(TIME_LIMIT)
  const signal = stopped ? AbortSignal.any([stopped, late]) : late
  const options = { method, path: target, headers: sent.flat(), agent: false, signal }
  const reply = await exchange(destination, options, bytes, limit).catch((thrown: unknown) => {
    const [status, error] = late.aborted
      ? [504, `no reply within ${TIME_LIMIT / 1000} s`]
      : [502, explain(thrown as NodeJS.ErrnoException, url)]
    return { status, headers: [], bytes: NOTHING, truncated: false, error }
  })
  return { url: spell(destination), ...reply, elapsed: performance.now() - started }
}

async function exchange(to: Destination, options: RequestOptions, body: Buffer, limit: number) {
  const { url, left } = to
  if (left !== '') refuse(`dots lead out of ${left}, and nothing is sent there`)
  if (/^connect$/i.test(options.method ?? '')) {
    refuse('CONNECT asks for a tunnel to another server, and is not sent')
  }
  // TLS is a sixth of the time to start, so it is loaded by those who use it.
  const { request } = url.protocol === 'https:' ? await import('node:https') : http
  const sent = request(url, options).end(body)
  // A target that switches protocols is closed without a word.
  const noReply = Object.assign(new Error(), { code: 'ECONNRESET' })
  const closed = once(sent, 'close').then(() => Promise.reject(noReply))
  const [incoming] = (await Promise.race([once(sent, 'response'), closed])) as [IncomingMessage]
  const { statusCode = 0, rawHeaders } = incoming
  if (statusCode < 200)
    throw new Error(`its reply has the status ${statusCode}, which ends nothing`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
  }
  return {
    status: statusCode,
    headers: pairs(rawHeaders) as readonly Pair[],
    bytes: Buffer.concat(chunks),
    truncated: size > limit,
    error: null as string | null,
  }
}

function explain({ code = '', message }: NodeJS.ErrnoException, { host, hostname }: URL): string {
  const causes: Record<string, string | undefined> = {
    ECONNREFUSED: `nothing listens on ${host}`,
    ENOTFOUND: `no address is known for ${hostname}`,
    ECONNRESET: `${host} closed the connection without a reply`,
    EPROTO: `${host} does not speak TLS: use http://`,
    ABORT_ERR: 'the catcher was stopped before the reply came',
  }
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) {
    return `the certificate of ${host} is not trusted: name its authority in NODE_EXTRA_CA_CERTS`
  }
  // Node tries every address of localhost and wraps the failures into one error without a message.
  return causes[code] ?? (message || code)
}
