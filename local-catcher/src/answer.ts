// Answers: which one each request gets, and how it is sent.
import { STATUS_CODES } from 'node:http'
import type { Connection } from './connection.js'
import { headerOf, withType, type Pair } from './content.js'
import { endToEnd, HOP_HEADER } from './forward.js'
import type { ReadOptions } from './options.js'
import { NOTHING } from './request.js'
import type { CapturedRequest, Fault, Reply, SentAnswer } from './request.js'
import { isBodyless, readRule, ruleTest, type Rule, type RuleValues } from './rules.js'
import { formatSize, keepLast } from './values.js'

const RECEIVED = Buffer.from('{"status":"OK","message":"data received"}\n')

/** What a request gets. */
type Answer = Readonly<ReturnType<typeof answerWith>>

const MOST_IN_ONE_WRITE = 16 * 1024

/** An answer with these headers; its body may be shorter than the length that they have. */
const answerWith = (status: number, headers: readonly Pair[], body: Buffer) => ({
  status,
  /** What is sent before Date and Connection. */
  head: headOf(status, headers),
  isDated: headerOf(headers, 'date') !== undefined,
  /** The body in Latin-1, where it is small enough to be sent together with its head. */
  text: body.length > MOST_IN_ONE_WRITE ? null : body.toString('latin1'),
  /** What is sent, requests show and records keep. */
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
function answerOf(status: number, headers: readonly Pair[], given: Buffer): Answer {
  const body = isBodyless(status) ? NOTHING : given
  return answerWith(status, framed(status, withType(headers, body), body.length), body)
}

/** An answer of a status alone. */
export const bare = (status: number): Answer => answerOf(status, [], NOTHING)

/** An answer that refuses, with the reason as its body. */
export const refusal = (status: number, cause: string): Answer => {
  return { ...answerOf(status, [], Buffer.from(`${cause}\n`)), cause }
}

/** The target's reply as the answer to the sender. */
export function answerFrom({ status, headers, bytes, truncated, error }: Reply): Answer {
  if (error !== null) return { ...refusal(status, `forwarding failed: ${error}`), cause: null }
  if (truncated) {
    return refusal(502, `the reply of the target is larger than ${formatSize(bytes.length)}`)
  }
  const passed = endToEnd(headers)
  // A reply to HEAD has a length and no body.
  const length = bytes.length || (headerOf(passed, 'content-length') ?? '0')
  return answerWith(status, framed(status, passed, length), bytes)
}

/** Sends the answer, or does to the connection what the fault says. */
export function sendAnswer(connection: Connection, answer: Answer) {
  const { socket, isHead, keepsAlive } = connection
  const { status, sent, head, isDated, text, fault } = answer
  const { headers, bytes: body } = sent
  if (!socket.writable || fault === 'hang') return
  if (fault === 'close') return void socket.destroy()
  if (fault === 'reset') return connection.reset()
  const isWhole = fault === null
  const hasBody = !isHead && !isBodyless(status)
  // Without a body, only the head can be cut.
  if (!isWhole && !hasBody) return void socket.end(`HTTP/1.1 ${status} `)
  const start = isWhole ? head : headOf(status, framed(status, headers, Math.max(2, body.length)))
  const rest = keepsAlive ? 'Connection: keep-alive\r\n\r\n' : 'Connection: close\r\n\r\n'
  const first = start + (isDated ? '' : dateLine(Math.floor(Date.now() / 1000))) + rest
  if (!hasBody) connection.write(first)
  else if (text !== null && isWhole) connection.write(first + text)
  else {
    connection.write(first)
    connection.write(isWhole ? body : body.subarray(0, body.length / 2))
  }
  if (!isWhole || !keepsAlive) socket.destroySoon()
}

/** The Date header of a second. */
const dateLine = keepLast((second) => `Date: ${new Date(second * 1000).toUTCString()}\r\n`)

/** Decides what each request gets: the first rule that takes it, else the answer of the options. */
export function answerBook(options: ReadOptions) {
  const { status, headers, delay, maxBody, rules } = options
  const body = options.answer ? (options.body ?? RECEIVED) : NOTHING
  const forwarding = options.forward !== undefined
  const told = answerOf(status, headers, body)
  const isDefault = body.equals(RECEIVED) && status === 200 && headers.length === 0
  const sent = { ...told.sent, isDefault }
  const base: Answer = { ...told, sent, delay, forward: forwarding }

  const answerBy = ({ status, headers: more = [], body, delay, fault }: RuleValues): Answer => {
    const how = { delay: delay ?? base.delay, fault: fault ?? null }
    if (status === undefined && more.length === 0 && !body) {
      return { ...base, ...how, forward: base.forward && !fault }
    }
    // A rule that sets a status would contradict itself with the body that says OK.
    const text = body ?? (status === undefined ? base.sent.bytes : NOTHING)
    return { ...answerOf(status ?? base.status, [...headers, ...more], text), ...how }
  }
  const entryOf = (rule: RuleValues) => ({ answer: answerBy(rule), takes: ruleTest(rule) })
  let entries = rules.map(entryOf)

  return {
    /** Adds a rule before those there are; gives the function that removes it. */
    add(rule: Rule): () => void {
      const entry = entryOf(readRule(rule))
      entries = [entry, ...entries]
      return () => void (entries = entries.filter((each) => each !== entry))
    },
    /** Has the rules of the options again, as if none had answered. */
    reset() {
      entries = rules.map(entryOf)
    },
    /** The answer to a request that came in whole. */
    find(request: CapturedRequest): Answer {
      if (request.truncated) return refusal(413, `the body is larger than ${formatSize(maxBody)}`)
      if (forwarding && headerOf(request.headers, HOP_HEADER) !== undefined) {
        return refusal(508, 'this request was passed on by a catcher already: a loop')
      }
      return entries.find(({ takes }) => takes(request))?.answer ?? base
    },
    /** What a sender gets whose request could not be written down. */
    unrecorded: refusal(503, 'the request could not be recorded'),
  }
}
