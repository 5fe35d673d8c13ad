import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { isOwn, pause } from './address.js'
import {
  AnswerBook,
  answerFrom,
  refuse,
  sendAnswer,
  UNRECORDED,
  type AnswerOptions,
  type Plan,
} from './answer.js'
import type { Connection } from './capture.js'
import { reasonOf, UsageError } from './errors.js'
import { joinTarget, parseTarget, passOn, type Reply } from './forward.js'
import { Inbox, type Wanted, type WaitOptions } from './inbox.js'
import { Journal, type Page } from './journal.js'
import { Listener, type Certificate } from './listener.js'
import { jsonLine, recordOf } from './record.js'
import { redactor, type Redactor } from './redact.js'
import { CapturedRequest, type Arrival, type Outcome, type RequestFields } from './request.js'
import type { Rule } from './rules.js'
import { checkSecret, verifySignature, type Secret } from './signature.js'
import { openFile } from './sink.js'

export interface CatcherOptions extends AnswerOptions {
  /** 0, the default of the library, takes any free port. */
  readonly port?: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Appends each request to this file as one JSON line, before it is answered. */
  readonly output?: string
  /** Bytes of body kept; a larger one is counted to its end and answered 413. */
  readonly maxBody?: number
  /** With a certificate the catcher speaks HTTPS. */
  readonly tls?: Certificate
  /** Passes requests on and gives the sender the reply. */
  readonly forward?: string
  readonly secret?: Secret
  /** Names of headers, JSON keys, fields and query parameters whose values are replaced by ***. */
  readonly redact?: readonly string[]
  /** How many requests are held for `requests` and `waitFor`; 1,000 unless given. */
  readonly keep?: number
}

const DEFAULT_MAX_BODY = 10 * 1024 * 1024
const MOST_KEPT = 1000
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const GRACE = 5_000
const STEP = 2
const STATUS_OF_PROBLEM = { malformed: 400, incomplete: 408, aborted: null } as const

/** Starts a catcher; settles once it listens. Rejects with UsageError or ListenError. */
export const startCatcher = (options: CatcherOptions = {}): Promise<Catcher> =>
  openCatcher(options, null, () => {})

/** The same with a screen: the page on which the command shows what comes in. */
export async function openCatcher(
  options: CatcherOptions,
  screen: Page | null,
  onFailure: (reason: string) => void,
): Promise<Catcher> {
  const catcher = new Catcher(options, screen, onFailure)
  await catcher.listen()
  return catcher
}

/** Receives requests, keeps, records and answers them. */
export class Catcher implements AsyncDisposable, AsyncIterable<CapturedRequest> {
  private readonly listener: Listener
  private readonly journal: Journal
  private readonly answers: AnswerBook
  private readonly inbox: Inbox
  private readonly redact: Redactor
  private readonly target: URL | null
  private readonly maxBody: number
  private readonly listeners = new Set<(request: CapturedRequest) => void>()
  private readonly giveUp = new AbortController()
  private closing: Promise<boolean> | null = null
  private count = 0
  /** Requests between their first byte and their answer. */
  private running = 0

  constructor(
    private readonly options: CatcherOptions,
    screen: Page | null,
    onFailure: (reason: string) => void,
  ) {
    this.maxBody = options.maxBody ?? DEFAULT_MAX_BODY
    this.target = options.forward === undefined ? null : parseTarget(options.forward)
    if (options.secret) checkSecret(options.secret)
    this.redact = redactor(options.redact ?? [], this.maxBody)
    this.answers = new AnswerBook(options, this.target !== null, this.maxBody)
    this.inbox = new Inbox(options.keep ?? MOST_KEPT, MOST_KEPT_BYTES)
    const record = options.output === undefined ? [] : [this.record(options.output)]
    const refused = (request: CapturedRequest, reason: string) =>
      new CapturedRequest({ ...request, answer: request.answer && 503, unrecorded: reason })
    this.journal = new Journal([...record, ...(screen ? [screen] : [])], refused, onFailure)
    this.listener = new Listener(options.tls, {
      receive: (incoming, response, connection) => this.receive(incoming, response, connection),
      reject: (arrival, socket) => this.reject(arrival, socket),
    })
  }

  /** The address to send to, like 'http://127.0.0.1:8080'. */
  get url(): string {
    return this.address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  }

  /** What is listened on: not reachable as such where it is 0.0.0.0 or ::. */
  get address(): string {
    return this.listener.address
  }

  get port(): number {
    return this.listener.port
  }

  /** The requests held, oldest first. */
  get requests(): readonly CapturedRequest[] {
    return this.inbox.requests
  }

  /** Whether something could not be written. */
  get failed(): boolean {
    return this.journal.failed
  }

  /** Adds a rule after those there are; gives the function that removes it. */
  rule(rule: Rule): () => void {
    return this.answers.add(rule)
  }

  /** Forgets the requests held; the record file stays as it is. */
  clear(): void {
    this.inbox.clear()
  }

  /** The first complete request that matches, held already or to come; WaitTimeoutError if none. */
  waitFor(wanted: Wanted, options?: WaitOptions): Promise<CapturedRequest> {
    return this.inbox.waitFor(wanted, options)
  }

  [Symbol.asyncIterator](): AsyncIterator<CapturedRequest> {
    return this.inbox[Symbol.asyncIterator]()
  }

  /** Calls `listener` with each request once it is answered; gives the function that ends it. */
  subscribe(listener: (request: CapturedRequest) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Stops accepting, finishes what runs (5 s), writes everything; false where that failed. */
  close(): Promise<boolean> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Binds; rejects with ListenError where the address cannot be had. */
  async listen(): Promise<void> {
    const { port = 0, host = '127.0.0.1' } = this.options
    await this.listener.listen(port, host)
    if (this.target && isOwn(this.target, host, this.port)) {
      await this.close()
      throw new UsageError('--forward points at this catcher itself')
    }
  }

  private record(file: string): Page {
    const format = (request: CapturedRequest) => [jsonLine(recordOf(request)), '\n']
    try {
      return { sink: openFile(file, (error) => this.journal.report(error)), format }
    } catch (thrown) {
      throw new UsageError(`the output file cannot be written: ${reasonOf(thrown)}`)
    }
  }

  private receive(incoming: IncomingMessage, response: ServerResponse, connection: Connection) {
    const { socket } = incoming
    this.running++
    connection.receive(incoming, this.maxBody, (arrival) => {
      this.running--
      if (arrival.problem) return this.reject(arrival, socket)
      const plan = this.answers.plan(arrival)
      if (plan.delay === 0 && !plan.forward) this.conclude(arrival, response, plan, null)
      else void this.linger(arrival, response, plan)
    })
  }

  /** The slow ways to an answer: waiting, and asking the target. */
  private async linger(arrival: Arrival, response: ServerResponse, plan: Plan) {
    const { signal } = this.giveUp
    this.running++
    if (plan.delay > 0) await pause(plan.delay, response.req.socket, signal)
    const asks = plan.forward && this.target && !response.req.socket.destroyed && !signal.aborted
    const reply = asks
      ? await passOn(arrival, joinTarget(this.target, arrival.url), this.maxBody, signal)
      : null
    this.running--
    this.conclude(arrival, response, plan, reply)
  }

  /** Writes the request down with its ending, then lets the ending happen. */
  private conclude(arrival: Arrival, response: ServerResponse, plan: Plan, reply: Reply | null) {
    const answer = reply ? answerFrom(reply) : plan.answer
    const stopped = this.giveUp.signal.aborted
    // The response itself has no socket yet where an earlier one of a pipeline is on its way.
    const { socket } = response.req
    const outcome = stopped ? 'stopped' : socket.destroyed ? 'left' : (plan.fault ?? 'answered')
    const told = outcome === 'answered' ? answer.status : null
    this.write(arrival, outcome, told, plan.cause, reply, (request) => {
      const recorded = request.unrecorded === null
      if (this.closing) response.shouldKeepAlive = false
      if (stopped) socket.destroy()
      else sendAnswer(response, recorded ? answer : UNRECORDED, recorded ? plan.fault : null)
    })
  }

  /** The same for what was no whole request. */
  private reject(arrival: Arrival, socket: Socket) {
    const outcome = arrival.problem!
    const status = socket.writable ? STATUS_OF_PROBLEM[outcome] : null
    this.write(arrival, outcome, status, arrival.cause, null, () => {
      if (status) refuse(socket, status)
      else socket.destroy()
    })
  }

  private write(
    arrival: Arrival,
    outcome: Outcome,
    answer: number | null,
    cause: string | null,
    reply: Reply | null,
    act: (request: CapturedRequest) => void,
  ) {
    const { secret } = this.options
    const fields: RequestFields = {
      n: ++this.count,
      time: arrival.time,
      remote: arrival.remote,
      method: arrival.method,
      url: arrival.url,
      httpVersion: arrival.httpVersion,
      headers: arrival.headers,
      trailers: arrival.trailers,
      bytes: arrival.bytes,
      size: arrival.size,
      truncated: arrival.truncated,
      cause,
      raw: arrival.raw,
      outcome,
      answer,
      elapsed: performance.now() - arrival.started,
      signature: secret && !arrival.problem ? verifySignature(secret, arrival) : null,
      forward: reply && { ...reply, ...this.redactReply(reply) },
      unrecorded: null,
      redacted: false,
    }
    this.running++
    this.journal.commit(new CapturedRequest(this.redact(fields)), (request) => {
      this.running--
      act(request)
      this.inbox.add(request)
      for (const listener of this.listeners) listener(request)
    })
  }

  private redactReply(reply: Reply) {
    const { url, headers, bytes } = this.redact({
      ...reply,
      trailers: [],
      raw: null,
      redacted: false,
    })
    return { url, headers, bytes }
  }

  private async shutDown(): Promise<boolean> {
    this.listener.stopAccepting()
    const deadline = performance.now() + GRACE
    while (this.running > 0) {
      if (performance.now() > deadline) {
        this.giveUp.abort()
        this.listener.destroyAll()
      }
      await setTimeout(STEP)
    }
    await this.listener.drain(deadline)
    this.inbox.close()
    return (await this.journal.flush(GRACE)) && !this.journal.failed
  }
}
