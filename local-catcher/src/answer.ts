// Answers: which one each request gets, and how it is sent.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Exchange } from './connection.js'
import { headerOf, withType, type Pair } from './content.js'
import { endToEnd } from './forward.js'
import { NOTHING, type Fault, type Reply, type SentAnswer } from './request.js'
import { isBodyless } from './rules.js'
import { formatLimit } from './values.js'

/** What a request gets. */
export type Answer = Readonly<ReturnType<typeof answerWith>>

const MOST_IN_ONE_WRITE = 16 * 1024

/** An answer with these headers; its body may be shorter than the length that they have. */
const answerWith = (status: number, headers: readonly Pair[], body: Buffer) => ({
  status,
  headers,
  /** What is sent before Date and Connection. */
  head: headOf(status, headers),
  isDated: headerOf(headers, 'date') !== undefined,
  body,
  /** The same in Latin-1, where it is small enough to be sent together with its head. */
  text: body.length > MOST_IN_ONE_WRITE ? null : body.toString('latin1'),
  /** What requests show and records keep. */
  sent: { headers, bytes: body } as SentAnswer,
  /** Milliseconds to wait before it. */
  delay: 0,
  fault: null as Fault | null,
  /** The reply of the target takes its place. */
  forward: false,
  /** Why it is not what was told. */
  cause: null as string | null,
})

const headOf = (status: number, headers: readonly Pair[]) => {
  const lines = headers.map((pair) => `${pair.join(': ')}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${lines.join('')}`
}

/** The headers with the length of a body, where the status has one. */
const framed = (status: number, headers: readonly Pair[], length: number | string) => {
  const free = headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  return isBodyless(status) ? free : [...free, ['Content-Length', String(length)] as const]
}

/** An answer with this status, these headers and this body. */
export function answerOf(status: number, headers: readonly Pair[], given: Buffer): Answer {
  const body = isBodyless(status) ? NOTHING : given
  return answerWith(status, framed(status, withType(headers, body), body.length), body)
}

/** An answer that refuses, with the reason as its body. */
export const refusal = (status: number, cause: string): Answer => {
  return { ...answerOf(status, [], Buffer.from(`${cause}\n`)), cause }
}

/** The target's reply as the answer to the sender. */
export function answerFrom({ status, headers, bytes, truncated, error }: Reply): Answer {
  if (error !== null) return { ...refusal(status, `forwarding failed: ${error}`), cause: null }
  if (truncated) {
    return refusal(502, `the reply of the target is larger than ${formatLimit(bytes.length)}`)
  }
  const passed = endToEnd(headers)
  // A reply to HEAD has a length and no body.
  const length = bytes.length || (headerOf(passed, 'content-length') ?? '0')
  return answerWith(status, framed(status, passed, length), bytes)
}

/** Sends the answer, or does to the connection what the fault says. */
export function sendAnswer({ connection, isHead, keepsAlive }: Exchange, answer: Answer) {
  const { socket } = connection
  const { status, headers, head, isDated, body, text, fault } = answer
  if (socket.destroyed || fault === 'hang') return
  if (fault === 'close') return void socket.destroy()
  if (fault === 'reset') return connection.reset()
  const isWhole = fault === null
  const hasBody = !isHead && !isBodyless(status)
  // Without a body, only the head can be cut.
  if (!isWhole && !hasBody) return void socket.end(`HTTP/1.1 ${status} `)
  const start = isWhole ? head : headOf(status, framed(status, headers, Math.max(2, body.length)))
  const rest = keepsAlive ? 'Connection: keep-alive\r\n\r\n' : 'Connection: close\r\n\r\n'
  const first = start + (isDated ? '' : dateLine()) + rest
  if (!hasBody) connection.write(first)
  else if (text !== null && isWhole) connection.write(first + text)
  else {
    connection.write(first)
    connection.write(isWhole ? body : body.subarray(0, body.length / 2))
  }
  if (!isWhole || !keepsAlive) socket.destroySoon()
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
