// Answers: which one each request gets, and how it is sent.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headerOf, pairs, type Pair } from './content.js'
import { endToEnd, HOP_HEADER } from './forward.js'
import type { ReadOptions } from './options.js'
import type { Reply } from './reply.js'
import { NOTHING, type Draft, type Fault } from './request.js'
import { readRule, ruleTest, type Rule, type RuleValues } from './rules.js'
import { formatLimit } from './values.js'

/** What a request gets. */
export type Answer = Readonly<ReturnType<typeof ready>>

const RECEIVED = '{"status":"OK","message":"data received"}\n'
const MOST_IN_ONE_WRITE = 16 * 1024

/** Milliseconds: longer than senders keep their pools, or they race into a closed connection. */
export const KEEP_ALIVE = 75_000

const ready = (status: number, headers: readonly Pair[], body: Buffer) => ({
  status,
  /** The headers in one flat list, as node:http takes them. */
  wire: headers.flat(),
  body,
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

// RFC 9110, 15.3.5 and 15.4.5: these end with the headers.
const isBodyless = (status: number) => status === 204 || status === 304

function answerOf(status: number, headers: readonly Pair[], body: Buffer): Answer {
  if (isBodyless(status)) return ready(status, headers, NOTHING)
  const typed = body.length === 0 || headerOf(headers, 'content-type') !== undefined
  const type: readonly Pair[] = typed ? [] : [['Content-Type', typeOf(body)]]
  const all: Pair[] = [...type, ...headers, ['Content-Length', String(body.length)]]
  const answer = ready(status, all, body)
  const isPlain = !headers.some(([name]) => /^(date|keep-alive)$/i.test(name))
  if (!isPlain || body.length > MOST_IN_ONE_WRITE) return answer
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  const head = start + all.map((pair) => `${pair.join(': ')}\r\n`).join('')
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1000}\r\n\r\n`
  return { ...answer, text: { head, tail: kept + body.toString('latin1') } }
}

const typeOf = (body: Buffer) => {
  try {
    JSON.parse(body.toString('utf8'))
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}

const refusal = (status: number, cause: string): Answer => {
  return { ...answerOf(status, [], Buffer.from(`${cause}\n`)), cause }
}

/** Decides what each request gets: the first rule that takes it, else the answer of the options. */
export function answerBook(options: ReadOptions) {
  const { status, headers, delay, maxBody, rules } = options
  const body = options.answer ? (options.body ?? Buffer.from(RECEIVED)) : NOTHING
  const forwarding = options.forward !== undefined
  const base: Answer = { ...answerOf(status, headers, body), delay, forward: forwarding }
  const entries = new Set<{ takes: ReturnType<typeof ruleTest>; answer: Answer }>()

  const answerOfRule = ({ status, headers: more = [], body, delay, fault }: RuleValues): Answer => {
    const how = { delay: delay ?? base.delay, fault: fault ?? null }
    if (status === undefined && more.length === 0 && !body) {
      return { ...base, ...how, forward: base.forward && !fault }
    }
    // A rule that sets a status would contradict itself with the body that says OK.
    const text = body ?? (status === undefined ? base.body : NOTHING)
    return { ...answerOf(status ?? base.status, [...headers, ...more], text), ...how }
  }

  /** Adds a rule after the others; gives the function that takes it away. */
  const add = (rule: Rule): (() => void) => {
    const values = readRule(rule)
    const entry = { takes: ruleTest(values), answer: answerOfRule(values) }
    entries.add(entry)
    return () => entries.delete(entry)
  }

  /** The answer to a request that came in whole. */
  const find = (request: Draft): Answer => {
    if (request.truncated) return refusal(413, `the body is larger than ${formatLimit(maxBody)}`)
    if (forwarding && headerOf(request.headers, HOP_HEADER) !== undefined) {
      return refusal(508, 'this request was passed on by a catcher already: a loop')
    }
    for (const { takes, answer } of entries) if (takes(request)) return answer
    return base
  }

  for (const rule of rules) add(rule)
  // What a sender gets whose request could not be written down.
  const unrecorded = refusal(503, 'the request could not be recorded')
  return { add, find, unrecorded }
}

const unframed = (headers: readonly Pair[]) =>
  headers.filter(([name]) => name.toLowerCase() !== 'content-length')

/** The target's reply as the answer to the sender. */
export function answerFrom({ status, headers, bytes, error }: Reply): Answer {
  if (error !== null) return { ...refusal(status, `forwarding failed: ${error}`), cause: null }
  const passed = endToEnd(headers)
  // A reply to HEAD has a length and no body.
  const length = bytes.length || (headerOf(passed, 'content-length') ?? '0')
  const framing: Pair[] = isBodyless(status) ? [] : [['Content-Length', String(length)]]
  return ready(status, [...unframed(passed), ...framing], bytes)
}

/** Sends the answer, or does to the connection what the fault says. */
export function sendAnswer(response: ServerResponse, { status, wire, body, text, fault }: Answer) {
  const { socket } = response.req
  if (socket.destroyed || fault === 'hang') return
  if (fault === 'close') return void socket.destroy()
  if (fault === 'reset') {
    // A TLS socket has no TCP handle of its own to reset.
    return void ('encrypted' in socket ? socket.destroy() : socket.resetAndDestroy())
  }
  if (fault === 'truncate') {
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
