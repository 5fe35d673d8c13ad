import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Pair } from './content.js'
import { headerOf } from './content.js'
import { endToEnd, HOP_HEADER, type Reply } from './forward.js'
import type { Arrival } from './request.js'
import {
  checkStatus,
  headerPairs,
  matches,
  milliseconds,
  readyRule,
  type Fault,
  type HeadersInput,
  type ReadyRule,
  type Rule,
} from './rules.js'
import { formatSize } from './units.js'

export interface AnswerOptions {
  /** Answer with the body that says the data was received; false: with an empty one. */
  readonly answer?: boolean
  readonly status?: number
  readonly headers?: HeadersInput
  readonly body?: string | Uint8Array
  /** Milliseconds, or a text like '300ms'. */
  readonly delay?: number | string
  readonly rules?: readonly Rule[]
}

/** A response ready to be written: names and values in one flat list, as node:http takes them. */
export interface Answer {
  readonly status: number
  readonly wire: readonly string[]
  readonly body: Buffer
  /** A small body as Latin-1 text, which leaves in one write with the headers; else null. */
  readonly text: string | null
}

/** What a request gets. With `forward`, the reply of the target takes the place of `answer`. */
export interface Plan {
  readonly answer: Answer
  readonly delay: number
  readonly fault: Fault | null
  readonly forward: boolean
  /** Why it is not what was told. */
  readonly cause: string | null
}

const RECEIVED = Buffer.from('{"status":"OK","message":"data received"}\n')
const NOTHING = Buffer.alloc(0)
const MOST_IN_ONE_WRITE = 16 * 1024

// RFC 9110, 15.3.5 and 15.4.5: these end with the headers.
const isBodyless = (status: number) => status === 204 || status === 304

const ready = (status: number, headers: readonly Pair[], body: Buffer): Answer => {
  const text = body.length <= MOST_IN_ONE_WRITE ? body.toString('latin1') : null
  return { status, wire: headers.flat(), body, text }
}

function answerOf(status: number, headers: readonly Pair[], body: Buffer): Answer {
  if (isBodyless(status)) return ready(status, headers, NOTHING)
  const typed = body.length === 0 || headerOf(headers, 'content-type') !== undefined
  const type: readonly Pair[] = typed ? [] : [['Content-Type', typeOf(body)]]
  const length: Pair = ['Content-Length', String(body.length)]
  return ready(status, [...type, ...headers, length], body)
}

const typeOf = (body: Buffer) => {
  try {
    JSON.parse(body.toString('utf8'))
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}

const sentence = (status: number, text: string) => answerOf(status, [], Buffer.from(`${text}\n`))

/** What a sender gets whose request could not be written down. */
export const UNRECORDED = sentence(503, 'the request could not be recorded')

/** Decides what each request gets: the first rule that takes it, else the answer of the options. */
export class AnswerBook {
  private readonly rules: ReadyRule[]
  private readonly base: Plan
  private readonly headers: readonly Pair[]

  constructor(
    options: AnswerOptions,
    private readonly forwarding: boolean,
    private readonly maxBody: number,
  ) {
    this.headers = headerPairs(options.headers ?? [])
    const body =
      options.answer === false ? NOTHING : Buffer.from((options.body as string) ?? RECEIVED)
    this.base = {
      answer: answerOf(checkStatus(options.status ?? 200), this.headers, body),
      delay: milliseconds(options.delay ?? 0),
      fault: null,
      forward: forwarding,
      cause: null,
    }
    this.rules = (options.rules ?? []).map(readyRule)
  }

  /** Adds a rule after the others; gives the function that takes it away. */
  add(rule: Rule): () => void {
    const ready = readyRule(rule)
    this.rules.push(ready)
    return () => {
      const index = this.rules.indexOf(ready)
      if (index !== -1) this.rules.splice(index, 1)
    }
  }

  plan(arrival: Arrival): Plan {
    if (arrival.truncated) {
      const cause = `the body is larger than ${formatSize(this.maxBody)}`
      return { ...this.base, answer: sentence(413, cause), delay: 0, forward: false, cause }
    }
    if (this.forwarding && headerOf(arrival.headers, HOP_HEADER) !== undefined) {
      const cause = 'this request was passed on by a catcher already: a loop'
      return { ...this.base, answer: sentence(508, cause), delay: 0, forward: false, cause }
    }
    for (const rule of this.rules) {
      if (matches(rule, arrival.method, arrival.url) && rule.take()) return this.told(rule)
    }
    return this.base
  }

  private told(rule: ReadyRule): Plan {
    const { status, headers, body, fault } = rule
    const delay = rule.delay ?? this.base.delay
    if (status === undefined && !headers.length && !body) {
      return { ...this.base, delay, fault: fault ?? null, forward: this.base.forward && !fault }
    }
    // A rule that sets a status would contradict itself with the body that says OK.
    const text = body ?? (status === undefined ? this.base.answer.body : NOTHING)
    const answer = answerOf(status ?? this.base.answer.status, [...this.headers, ...headers], text)
    return { answer, delay, fault: fault ?? null, forward: false, cause: null }
  }
}

/** The target's reply as the answer to the sender. */
export function answerFrom(reply: Reply): Answer {
  if (reply.error !== null) return sentence(reply.status, `forwarding failed: ${reply.error}`)
  const headers = endToEnd(reply.headers)
  const framed = headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  if (isBodyless(reply.status)) return ready(reply.status, framed, NOTHING)
  const length = reply.bytes.length || (headerOf(headers, 'content-length') ?? '0')
  return ready(reply.status, [...framed, ['Content-Length', String(length)]], reply.bytes)
}

/** Sends the answer, or does to the connection what the fault says. */
export function sendAnswer(response: ServerResponse, answer: Answer, fault: Fault | null) {
  const { status, wire, body, text } = answer
  const { socket } = response.req
  if (socket.destroyed || fault === 'hang') return
  if (fault === 'reset') return void reset(socket)
  if (fault === 'close') return void socket.destroy()
  if (fault === 'truncate') {
    const headers = lines(['Content-Length', String(Math.max(2, body.length)), ...unframed(wire)])
    const half = body.subarray(0, Math.floor(body.length / 2))
    socket.end(Buffer.concat([Buffer.from(`${statusLine(status)}${headers}\r\n`, 'latin1'), half]))
    return
  }
  response.writeHead(status, wire as string[])
  if (text !== null) response.end(text, 'latin1')
  else response.end(body)
}

/** Refuses what was no request, in words that any HTTP sender can read. */
export function refuse(socket: Socket, status: number) {
  if (socket.writable)
    socket.end(`${statusLine(status)}Connection: close\r\nContent-Length: 0\r\n\r\n`)
  else socket.destroy()
}

const statusLine = (status: number) => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`

const unframed = (wire: readonly string[]) =>
  wire.filter((_, index) => wire[index - (index % 2)].toLowerCase() !== 'content-length')

const lines = (wire: readonly string[]) =>
  wire.reduce((text, word, index) => text + word + (index % 2 ? '\r\n' : ': '), '')

function reset(socket: Socket) {
  // A TLS socket has no TCP handle of its own to reset.
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
