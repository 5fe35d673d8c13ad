// Answers: which one each request gets, and how it is sent.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headerOf, pairs, withType, type Pair } from './content.js'
import { endToEnd } from './forward.js'
import { NOTHING, type Fault, type Reply, type SentAnswer } from './request.js'
import { isBodyless } from './rules.js'
import { formatLimit } from './values.js'

/** What a request gets. */
export type Answer = Readonly<ReturnType<typeof ready>>

const MOST_IN_ONE_WRITE = 16 * 1024

/** Milliseconds: longer than senders keep their pools, or they race into a closed connection. */
export const KEEP_ALIVE = 75_000

const ready = (status: number, headers: readonly Pair[], body: Buffer) => ({
  status,
  /** The headers in one flat list, as node:http takes them. */
  wire: headers.flat(),
  body,
  /** The same as requests show it and records keep it. */
  sent: { headers, bytes: body } as SentAnswer,
  /** Where it is small, all of it as Latin-1 text, but for the date between the two; else null. */
  text: null as { head: string; tail: string } | null,
  /** Milliseconds to wait before it. */
  delay: 0,
  fault: null as Fault | null,
  /** The reply of the target takes its place. */
  forward: false,
  /** Why it is not what was told. */
  cause: null as string | null,
})

/** An answer with this status, these headers and this body. */
export function answerOf(status: number, headers: readonly Pair[], body: Buffer): Answer {
  if (isBodyless(status)) return ready(status, headers, NOTHING)
  const all: Pair[] = [...withType(headers, body), ['Content-Length', String(body.length)]]
  const answer = ready(status, all, body)
  const isPlain = !headers.some(([name]) => /^(date|keep-alive)$/i.test(name))
  if (!isPlain || body.length > MOST_IN_ONE_WRITE) return answer
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  const head = start + all.map((pair) => `${pair.join(': ')}\r\n`).join('')
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1000}\r\n\r\n`
  return { ...answer, text: { head, tail: kept + body.toString('latin1') } }
}

/** An answer that refuses, with the reason as its body. */
export const refusal = (status: number, cause: string): Answer => {
  return { ...answerOf(status, [], Buffer.from(`${cause}\n`)), cause }
}

const unframed = (headers: readonly Pair[]) =>
  headers.filter(([name]) => name.toLowerCase() !== 'content-length')

/** The target's reply as the answer to the sender. */
export function answerFrom({ status, headers, bytes, truncated, error }: Reply): Answer {
  if (error !== null) return { ...refusal(status, `forwarding failed: ${error}`), cause: null }
  if (truncated) {
    return refusal(502, `the reply of the target is larger than ${formatLimit(bytes.length)}`)
  }
  const passed = endToEnd(headers)
  // A reply to HEAD has a length and no body.
  const length = bytes.length || (headerOf(passed, 'content-length') ?? '0')
  const framing: Pair[] = isBodyless(status) ? [] : [['Content-Length', String(length)]]
  return ready(status, [...unframed(passed), ...framing], bytes)
}

/** Sends the answer, or does to the connection what the fault says; `reset` resets it. */
export function sendAnswer(
  response: ServerResponse,
  { status, wire, body, text, fault }: Answer,
  reset: () => void,
) {
  const { socket } = response.req
  if (socket.destroyed || fault === 'hang') return
  if (fault === 'close') return void socket.destroy()
  if (fault === 'reset') return void reset()
  if (fault === 'truncate') {
    // Without a body, only the head can be cut.
    const isCutShort = isBodyless(status) || response.req.method === 'HEAD'
    if (isCutShort) return void socket.end(`HTTP/1.1 ${status} `)
    const promised: Pair = ['Content-Length', String(Math.max(2, body.length))]
    response.writeHead(status, [...unframed(pairs(wire)), promised].flat())
    response.flushHeaders()
    response.write(body.subarray(0, body.length / 2))
    return void socket.end()
  }
  // The usual case, in one write of ours: what Node makes of it costs as much as receiving.
  if (text && response.socket && response.shouldKeepAlive && response.req.method !== 'HEAD') {
    response.socket.write(text.head + dateLine() + text.tail, 'latin1')
    return void response.emit('finish')
  }
  response.writeHead(status, wire)
  response.end(body)
}

let dated = { second: 0, line: '' }

/** The Date header of this second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dated.second) {
    dated = { second, line: `Date: ${new Date(second * 1000).toUTCString()}\r\n` }
  }
  return dated.line
}

/** Refuses what was no request, in words that any HTTP sender can read. */
export function refuse(socket: Socket, status: number) {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`
  socket.end(`${head}Content-Length: 0\r\n\r\n`)
}
